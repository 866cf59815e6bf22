//! What every host says and is answered, on the texts in `fixtures/hooks`.
