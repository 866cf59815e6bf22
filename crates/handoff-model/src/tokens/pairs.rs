//! Into how many tokens a word falls, told from its pairs of letters.

use super::TOKEN;

/// What each letter adds after the one before it, in sixteenths of a token, as hexadecimal digits: a row for each letter
/// before (`a` to `z`, then the beginning of the word), a column for each letter. Fitted to words of notes, code and
/// documentation, and to random letters.
const PAIRS: [&[u8; 26]; 27] = [
    b"b640fc2d6f8020f4f030a8cb3c",
    b"3fce1ffd78f3ed4ef84f1cff8f",
    b"5f8b0cf34f37ff1cf3b23fff9f",
    b"7dd72fab5ffbff5ffb6f9fff8f",
    b"6d33775ecf6351e69004da719a",
    b"3dfc24fb0af7ff2ff8a79fff5f",
    b"adfd4fa47ffac57ff87e6fffef",
    b"38cf2fff2fff9d29fbd0dfff4e",
    b"4823072fee915008f300f7fac4",
    b"afff2fffdf9fac8ebfef9fffef",
    b"8fac39ce9ffdd5aafb6dc98fff",
    b"2ce90dfe2bc5fc1fffa54dff0f",
    b"29fb0bf86fdf7f66fc6dbfffaf",
    b"6f843c1f7e8efb6fff319becdc",
    b"7a86e87dce944038f046390bdf",
    b"3feb1ec88bf2bf24f6517bff8f",
    b"effceffefffddfffcff90fffaf",
    b"1ea60d8f3f2c860ffb958aff1e",
    b"acbd4ff86f8fdc5aff437fff3f",
    b"4fad2ff12ffcbf7af547afbf1c",
    b"61163b6f7fe030b2f010fffafa",
    b"1fef0fcf1effacaffd9fcfffff",
    b"6ffb5fc85dcef84af9c8fdefff",
    b"cabdacff7ffbcffbfff8dff7ef",
    b"cfffdffefffdf9fafd99ffdf7f",
    b"9ffa5fffdfffafdfffffcfee9b",
    b"14203253348524327604453739",
];

/// What is taken off a word of some length as a whole.
const COMMON: usize = 2;

/// The cost of a word of ASCII letters.
pub(super) fn word(letters: &[u8]) -> usize {
    let mut before = PAIRS.len() - 1;
    let mut cost = 0;
    for letter in letters {
        let letter = usize::from(letter.to_ascii_lowercase() - b'a');
        cost += digit(PAIRS[before][letter]);
        before = letter;
    }
    // Capitals are rarer in the vocabulary.
    let cost = match letters {
        [first, .., last] if first.is_ascii_uppercase() && last.is_ascii_uppercase() && letters.len() > 2 => {
            cost * 46 / 32
        }
        [first, ..] if first.is_ascii_uppercase() => cost * 37 / 32,
        _ => cost,
    };
    let cost = if letters.len() > 3 { cost.saturating_sub(COMMON) } else { cost };
    // What pairs of letters leave undecided, on the safe side.
    cost.max(TOKEN) * 35 / 32
}

fn digit(hexadecimal: u8) -> usize {
    match hexadecimal {
        b'a'.. => usize::from(hexadecimal - b'a' + 10),
        _ => usize::from(hexadecimal - b'0'),
    }
}
