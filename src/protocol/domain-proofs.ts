/** The texts at well-known paths by which directories check that a domain belongs to the owner of a server. */

export type DomainProof = 'openaiApps' | 'mcpRegistry'

interface ProofForm {
  readonly path: string
  readonly form: RegExp
  /** What the text must be, for the error. */
  readonly must: string
}

export const DOMAIN_PROOFS: Readonly<Record<DomainProof, ProofForm>> = {
  openaiApps: {
    path: '/.well-known/openai-apps-challenge',
    // Of JSON, the directory would compare the whole text with its token.
    form: /^(?![[{"])[\x21-\x7e]{1,4096}$/,
    must: 'the token alone, without spaces, quotes or JSON, of at most 4,096 characters',
  },
  mcpRegistry: {
    path: '/.well-known/mcp-registry-auth',
    // The registry reads the first record alone. The keys have 32 bytes, and 49 of which the first one is 2 or 3.
    form: /^v=MCPv1; ?k=(?:ed25519; ?p=[A-Za-z\d+/]{43}=|ecdsap384; ?p=A[g-z\d+/][A-Za-z\d+/]{64}==)$/,
    must: 'one record like "v=MCPv1; k=ed25519; p=…", with the public key in base64: 44 characters, or 68 for k=ecdsap384',
  },
}
