/** DPoP as the endpoints see it. Types alone: a server without DPoP bundles no code of it. */

/** A proof and the request that it must belong to. */
export interface DpopProof {
  /** The `DPoP` header. */
  readonly proof: string | null
  readonly method: string
  /** Accepted values of `htu`: configured URLs, never from the `Host` header. */
  readonly urls: readonly string[]
  /** The access token of the request, and the thumbprint of the key that it is bound to. */
  readonly token?: { readonly text: string; readonly jkt: string }
}

/** A verified proof. This isolate accepts it once, other isolates only until it is redeemed. */
export interface VerifiedProof {
  /** Thumbprint of the proven key. */
  readonly jkt: string
  /**
   * Marks the proof as used in the whole deployment. Called when its request has succeeded otherwise, so
   * that a request without a valid grant stores nothing.
   *
   * @throws {OAuthError} `invalid_dpop_proof` when it was used before
   */
  redeem(): Promise<void>
  /** Lets this isolate accept the proof again, because its request has failed. */
  release(): void
}

/** Verifies a proof. */
export type VerifyProof = (proof: DpopProof) => Promise<VerifiedProof>

/** Verifies the proof of a request; undefined for a request without one. */
export type DpopCheck = (request: Request, url: string) => Promise<VerifiedProof | undefined>

/** The DPoP of a resource server. */
export interface DpopSupport {
  /** The algorithms of proofs, for metadata and challenges. */
  readonly algorithms: readonly string[]
  readonly verify: VerifyProof
}
