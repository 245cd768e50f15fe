/** Nonces (sections 8, 9 and 11.3) are optional and not supplied; pushed authorization requests (section 10.1) are not offered. */
import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc9449'

export const dpop: RequirementDocument = {
  title: 'DPoP (RFC 9449)',
  pages: [PAGE],
  requirements: [
    {
      id: 'with-https',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'DPoP is used with https; plain http is served on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i',
      ],
    },
    {
      id: 'header-of-a-proof',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.2`],
      says: 'A proof has typ, alg and jwk in its header.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s > without a type',
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s > without a key',
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof that is signed with %j',
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > is rejected with invalid_dpop_proof %s, and the code is not spent',
      ],
    },
    {
      id: 'symmetric-algorithms',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.2`, `${PAGE}#section-11.6`],
      says: 'A proof is not signed with none or a symmetric algorithm.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof that is signed with %j',
      ],
    },
    {
      id: 'private-keys',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.2`],
      says: 'The key in a proof is not a private one.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof that contains its private key',
      ],
    },
    {
      id: 'claims-of-a-proof',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.2`],
      says: 'A proof has jti, htm, htu and iat.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s',
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > is rejected with invalid_dpop_proof %s, and the code is not spent',
      ],
    },
    {
      id: 'access-token-hash',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.2`, `${PAGE}#section-7`],
      says: 'A proof at a resource has the hash of its access token.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s > for another token',
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s > for no token',
        'test/clients/auth/dpop.test.ts > a bound token > is rejected with a proof for $what',
      ],
    },
    {
      id: 'nonce-claim',
      level: 'MUST',
      clauses: [
        `${PAGE}#section-4.2`,
        `${PAGE}#section-8`,
        `${PAGE}#section-8.2`,
        `${PAGE}#section-9`,
      ],
      says: 'A proof has the nonce that a server has supplied; this server supplies none.',
      concerns: 'client',
    },
    {
      id: 'proofs-are-checked',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3`],
      says: 'The server checks that there is one header with one JWT, its claims, type, algorithm, signature and key, the method and URL, its time, and at a resource the token hash and key.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s',
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof that is signed with %j',
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects the header value %j',
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof that contains its private key',
        'test/property/dpop.test.ts > a DPoP proof > is refused after any change of a character, of its request, of its key or of its token',
      ],
    },
    {
      id: 'proof-in-token-requests',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`],
      says: 'A client sends a valid proof in the DPoP header to receive a bound token; an invalid one is refused.',
      concerns: 'client',
      tests: [
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > binds the access token of a code to its key',
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > is rejected with invalid_dpop_proof %s, and the code is not spent',
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > is rejected with invalid_dpop_proof when it is no JWT',
      ],
    },
    {
      id: 'token-type',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`],
      says: 'The response with a bound token has the type DPoP.',
      tests: [
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > binds the access token of a code to its key',
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > binds the access token of client credentials',
        'test/auth/server/grants/jwt-bearer.test.ts > an assertion that is bound to a key > is exchanged with a proof of that key, for a token that is bound to it',
      ],
    },
    {
      id: 'bound-refresh-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`],
      says: 'The refresh token of a public client with a proof is bound to its key, and the binding is checked.',
      tests: [
        'test/auth/server/grants/dpop.test.ts > a refresh token of a public client > is bound to the key of the code',
        'test/auth/server/grants/dpop.test.ts > a refresh token of a public client > is bound to the first key that it is presented with',
        'test/clients/auth/dpop.test.ts > a bound token > is not refreshed without a proof',
      ],
    },
    {
      id: 'client-discards-bearer-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#section-5`],
      says: 'A client that needs the protection discards a response of another type.',
      concerns: 'client',
    },
    {
      id: 'always-bound-clients',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.2`],
      says: 'The server refuses a token request without a proof from a client that has registered dpop_bound_access_tokens.',
      tests: [
        'test/auth/server/grants/dpop.test.ts > a client that has registered dpop_bound_access_tokens > receives no token without a proof, for a code and for a refresh',
        'test/auth/server/grants/dpop.test.ts > a client that has registered dpop_bound_access_tokens > receives none without a proof when its registration has expired',
      ],
    },
    {
      id: 'bound-tokens-are-recognised',
      level: 'MUST',
      clauses: [`${PAGE}#section-6`],
      says: 'The resource server recognises a bound token and its key by the claim cnf.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a bound token > accepts it with a proof of its key',
        'test/auth/resource/dpop.test.ts > ResourceServer with a bound token > rejects it as Bearer, with and without a proof',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
      ],
    },
    {
      id: 'keys-are-compared',
      level: 'MUST',
      clauses: [`${PAGE}#section-6`, `${PAGE}#section-7.1`],
      says: 'The resource server compares the key of the proof with that of the token.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s > of another key',
        'test/clients/auth/dpop.test.ts > %s > cannot use tokens that are bound to the key of another app',
        'test/clients/auth/dpop.test.ts > a bound token > is rejected with the proof of another key',
      ],
    },
    {
      id: 'thumbprint',
      level: 'MUST',
      clauses: [`${PAGE}#section-6.1`],
      says: 'The member jkt is the SHA-256 thumbprint of the key in base64url.',
      tests: [
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > binds the access token of a code to its key',
      ],
    },
    {
      id: 'introspected-type',
      level: 'MUST',
      clauses: [`${PAGE}#section-6.2`],
      says: 'The introspection of a bound token has the type DPoP.',
      tests: [
        'test/auth/server/introspect.test.ts > the introspection endpoint > describes an access token that is bound to a key',
      ],
    },
    {
      id: 'proof-at-resources',
      level: 'MUST',
      clauses: [`${PAGE}#section-7`, `${PAGE}#section-7.1`],
      says: 'A request with a bound token has a proof, which the resource server checks.',
      concerns: 'client',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a bound token > rejects it with a DPoP challenge when it was presented as DPoP',
        'test/auth/resource/dpop.test.ts > ResourceServer with a bound token > requires a new proof for every request, even if the token is cached',
        'test/clients/auth/dpop.test.ts > a bound token > is accepted once with each proof',
      ],
    },
    {
      id: 'no-access-without-checks',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.1`],
      says: 'The resource server gives no access unless all checks succeed.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a bound token > rejects it as Bearer, with and without a proof',
        'test/auth/resource/dpop.test.ts > ResourceServer with a bound token > rejects it with a DPoP challenge when it was presented as DPoP',
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s',
      ],
    },
    {
      id: 'unknown-parameters',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1`],
      says: 'A recipient ignores unknown parameters of a challenge.',
      concerns: 'client',
    },
    {
      id: 'no-proxy-authentication',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.1`],
      says: 'The scheme is not used for proxies.',
      concerns: 'specification',
    },
    {
      id: 'no-downgrade-to-bearer',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.2`],
      says: 'The resource server refuses a bound token that is presented as a bearer token.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a bound token > rejects it as Bearer, with and without a proof',
        'test/clients/auth/dpop.test.ts > a bound token > is rejected as a Bearer token, with a DPoP challenge',
      ],
    },
    {
      id: 'nonces',
      level: 'MUST',
      clauses: [`${PAGE}#section-8`],
      says: 'Supplied nonces are unpredictable, and a proof with another one is refused.',
      untested: 'Nonces are optional and not supplied.',
    },
    {
      id: 'one-nonce-header',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-8`],
      says: 'A response has at most one DPoP-Nonce header.',
      untested: 'Nonces are optional and not supplied.',
    },
    {
      id: 'code-binding',
      level: 'MUST',
      clauses: [`${PAGE}#section-10`],
      says: 'A code with dpop_jkt is redeemed with a proof of that key alone.',
      tests: [
        'test/auth/server/grants/dpop.test.ts > a code with dpop_jkt > is exchanged with a proof of that key',
        'test/auth/server/grants/dpop.test.ts > a code with dpop_jkt > is rejected with invalid_grant without that proof, and not spent',
      ],
    },
    {
      id: 'pushed-requests',
      level: 'MUST',
      clauses: [`${PAGE}#section-10.1`],
      says: 'A server with pushed authorization requests supports both ways to bind a code.',
      untested: 'Pushed authorization requests are not offered.',
    },
    {
      id: 'time-limit',
      level: 'MUST',
      clauses: [`${PAGE}#section-11.1`],
      says: 'A proof is accepted for a limited time after its creation, here a minute.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s > issued more than a minute ago',
        'test/auth/server/grants/dpop.test.ts > a proof at the token endpoint > is rejected with invalid_dpop_proof %s, and the code is not spent',
        'test/property/dpop.test.ts > a DPoP proof > is accepted once, while its date is within a minute, for any order of clients, names and times',
      ],
    },
    {
      id: 'nonce-downgrade',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-11.3`],
      says: 'A server that has supplied a nonce accepts no proof without one.',
      untested: 'Nonces are optional and not supplied.',
    },
    {
      id: 'type-of-a-proof',
      level: 'MUST',
      clauses: [`${PAGE}#section-11.5`],
      says: 'The server checks that the type of a proof is dpop+jwt.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof %s > with the type of an access token',
      ],
    },
    {
      id: 'asymmetric-algorithms',
      level: 'MUST',
      clauses: [`${PAGE}#section-11.6`],
      says: 'Only asymmetric algorithms that are secure are accepted.',
      tests: [
        'test/auth/resource/dpop.test.ts > ResourceServer with a defective DPoP proof > rejects a proof that is signed with %j',
        'test/auth/resource/dpop.test.ts > ResourceServer with a bound token > accepts it with a proof of an %s key',
      ],
    },
  ],
}
