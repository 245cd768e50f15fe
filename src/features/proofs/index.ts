/** `edgeway/proofs`: the feature, its options and its types. */
export { type Proof, type ProofOptions, type Proofs, proofs } from './proofs.ts'
