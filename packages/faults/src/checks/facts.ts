/**
 * What was seen of one connection: by the probes of `edgeway doctor`, or in the steps that the timeline has recorded
 * of a client (`packages/inspector/src/timeline/verdict/evidence.ts`). A member is undefined when it was not seen. The names of
 * members that a step stores are those of its details.
 */

export interface Facts {
  /** The URL of the endpoint as people paste it, as far as it is known. */
  readonly pasted?: string | undefined
  /** Whether its path is the pattern of several URLs, with which no resource is compared. */
  readonly isPattern?: boolean
  /** The 401 to a request without a token. */
  readonly challenge?: ChallengeFacts | undefined
  readonly resource?: ResourceFacts | undefined
  readonly server?: ServerFacts | undefined
  readonly response?: ResponseFacts | undefined
  /** The response to a grant that was accepted. */
  readonly issued?: IssuedToken | undefined
}

export interface ChallengeFacts {
  /** The scheme: `Bearer`, `other` or `none`; at the doctor, the whole header of another scheme. */
  readonly challenge?: unknown
  readonly metadataUrl?: unknown
}

/** Protected resource metadata (RFC 9728). */
export interface ResourceFacts {
  readonly resource?: unknown
  /** The first of `authorization_servers`. */
  readonly server?: unknown
}

/** Authorization server metadata (RFC 8414). */
export interface ServerFacts {
  readonly issuer?: unknown
  readonly authorizationEndpoint?: unknown
  readonly tokenEndpoint?: unknown
  readonly registrationEndpoint?: unknown
  /** Whether S256 is listed. */
  readonly pkce?: unknown
  /** Whether the authorization code flow is listed, or nothing else. */
  readonly codeFlow?: unknown
  /** Whether clients without a secret are listed. */
  readonly publicClients?: unknown
  /** `client_id_metadata_document_supported` */
  readonly documents?: unknown
  /** Whether an authorization response has `iss`. */
  readonly issInResponse?: unknown
}

/** An authorization response. */
export interface ResponseFacts {
  readonly iss?: unknown
  /** What `iss` is compared with. */
  readonly issuer?: unknown
}

export interface IssuedToken {
  readonly isDocument?: unknown
  readonly type?: unknown
  /** Whether a header can have the token. */
  readonly hasToken?: unknown
  readonly tokenType?: unknown
  /** `expires_in` */
  readonly expires?: unknown
  readonly hasRefreshToken?: unknown
}
