//! The key encapsulation MLKEM768-X25519, which is X-Wing, for HPKE.

use hpke::generic_array::typenum::{Sum, U32, U96, U192, U1024};
use hpke::kem::SharedSecret;
use hpke::{Deserializable, HpkeError, Serializable};
use ml_kem::kem::{Decapsulate as _, Encapsulate as _};
use ml_kem::{EncodedSizeUser as _, KemCore, MlKem768};
use sha3::digest::{ExtendableOutput as _, Update as _, XofReader as _};
use sha3::{Digest as _, Sha3_256, Shake256};
use ssh_key::rand_core::{CryptoRng, RngCore};
use x25519_dalek::StaticSecret;
use zeroize::{Zeroize as _, Zeroizing};

const LABEL: &[u8] = br"\.//^\";
const LATTICE_KEY: usize = 1184;
const LATTICE_CIPHERTEXT: usize = 1088;
const CURVE: usize = 32;

pub(super) struct Kem;

/// Both public keys, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PublicKey([u8; LATTICE_KEY + CURVE]);

/// The seed that both private keys are made from.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PrivateKey(Zeroizing<[u8; 32]>);

/// What both encapsulations send, one after the other.
#[derive(Clone)]
pub(super) struct Encapsulated([u8; LATTICE_CIPHERTEXT + CURVE]);

/// The two private keys.
struct Expanded {
    lattice: <MlKem768 as KemCore>::DecapsulationKey,
    curve: StaticSecret,
}

impl PrivateKey {
    fn expand(&self) -> Expanded {
        let mut stream = Shake256::default().chain(self.0.as_slice()).finalize_xof();
        let mut parts = [[0; 32]; 3];
        parts.iter_mut().for_each(|part| stream.read(part));
        let (lattice, _) = MlKem768::generate_deterministic(&parts[0].into(), &parts[1].into());
        let curve = StaticSecret::from(parts[2]);
        parts.zeroize();
        Expanded { lattice, curve }
    }
}

impl Expanded {
    fn public(&self) -> PublicKey {
        let curve = x25519_dalek::PublicKey::from(&self.curve);
        let mut bytes = [0; LATTICE_KEY + CURVE];
        bytes[..LATTICE_KEY].copy_from_slice(&self.lattice.encapsulation_key().as_bytes());
        bytes[LATTICE_KEY..].copy_from_slice(curve.as_bytes());
        PublicKey(bytes)
    }
}

/// The shared secret of both; a point that contributes nothing is refused.
fn combined(
    lattice: &[u8],
    secret: &StaticSecret,
    other: &[u8],
    sent: &[u8],
    public: &[u8],
) -> Result<SharedSecret<Kem>, HpkeError> {
    let other: [u8; CURVE] = other.try_into().map_err(|_| HpkeError::ValidationError)?;
    let curve = secret.diffie_hellman(&x25519_dalek::PublicKey::from(other));
    if !curve.was_contributory() {
        return Err(HpkeError::DecapError);
    }
    let hash = Sha3_256::new();
    let parts = [lattice, curve.as_bytes(), sent, public, LABEL];
    let hash = parts.into_iter().fold(hash, |hash, part| hash.chain_update(part));
    Ok(SharedSecret(hash.finalize()))
}

impl hpke::Kem for Kem {
    type PublicKey = PublicKey;
    type PrivateKey = PrivateKey;
    type EncappedKey = Encapsulated;
    type NSecret = U32;

    const KEM_ID: u16 = 0x647a;

    fn sk_to_pk(key: &PrivateKey) -> PublicKey {
        key.expand().public()
    }

    fn derive_keypair(_: &[u8]) -> (PrivateKey, PublicKey) {
        unreachable!("keys of this kind are read, not derived")
    }

    fn decap(
        key: &PrivateKey,
        _: Option<&PublicKey>,
        Encapsulated(sent): &Encapsulated,
    ) -> Result<SharedSecret<Kem>, HpkeError> {
        let expanded = key.expand();
        let (lattice, curve) = sent.split_at(LATTICE_CIPHERTEXT);
        let lattice = lattice.try_into().map_err(|_| HpkeError::ValidationError)?;
        let lattice = expanded.lattice.decapsulate(&lattice).map_err(|()| HpkeError::DecapError)?;
        let PublicKey(public) = expanded.public();
        combined(&lattice, &expanded.curve, curve, curve, &public[LATTICE_KEY..])
    }

    fn encap<R: CryptoRng + RngCore>(
        PublicKey(public): &PublicKey,
        _: Option<(&PrivateKey, &PublicKey)>,
        random: &mut R,
    ) -> Result<(SharedSecret<Kem>, Encapsulated), HpkeError> {
        let (lattice_key, curve_key) = public.split_at(LATTICE_KEY);
        let lattice_key = lattice_key.try_into().map_err(|_| HpkeError::ValidationError)?;
        let lattice_key = <MlKem768 as KemCore>::EncapsulationKey::from_bytes(&lattice_key);
        let (ciphertext, lattice) = lattice_key.encapsulate(random).map_err(|()| HpkeError::EncapError)?;
        let mut seed = Zeroizing::new([0; CURVE]);
        random.fill_bytes(seed.as_mut_slice());
        let secret = StaticSecret::from(*seed);
        let mut sent = [0; LATTICE_CIPHERTEXT + CURVE];
        sent[..LATTICE_CIPHERTEXT].copy_from_slice(&ciphertext);
        sent[LATTICE_CIPHERTEXT..].copy_from_slice(x25519_dalek::PublicKey::from(&secret).as_bytes());
        let shared = combined(&lattice, &secret, curve_key, &sent[LATTICE_CIPHERTEXT..], curve_key)?;
        Ok((shared, Encapsulated(sent)))
    }
}

impl Serializable for PublicKey {
    type OutputSize = Sum<U1024, U192>;

    fn write_exact(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.0);
    }
}

impl Deserializable for PublicKey {
    fn from_bytes(bytes: &[u8]) -> Result<Self, HpkeError> {
        exact(bytes).map(PublicKey)
    }
}

impl Serializable for PrivateKey {
    type OutputSize = U32;

    fn write_exact(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(self.0.as_slice());
    }
}

impl Deserializable for PrivateKey {
    fn from_bytes(bytes: &[u8]) -> Result<Self, HpkeError> {
        exact(bytes).map(Zeroizing::new).map(PrivateKey)
    }
}

impl Serializable for Encapsulated {
    type OutputSize = Sum<U1024, U96>;

    fn write_exact(&self, buffer: &mut [u8]) {
        buffer.copy_from_slice(&self.0);
    }
}

impl Deserializable for Encapsulated {
    fn from_bytes(bytes: &[u8]) -> Result<Self, HpkeError> {
        exact(bytes).map(Encapsulated)
    }
}

fn exact<const N: usize>(bytes: &[u8]) -> Result<[u8; N], HpkeError> {
    bytes.try_into().map_err(|_| HpkeError::IncorrectInputLength(N, bytes.len()))
}
