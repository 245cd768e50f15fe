/** What the probes have seen, as the checks of connections compare it (`packages/faults/src/checks`). */
import { namesIssuer } from '../../../client/src/client-checks.ts'
import { isHeaderToken } from '../../../client/src/sign-in.ts'
import type { IssuedToken, ResponseFacts, ServerFacts } from '../../../faults/src/checks/facts.ts'
import { textOf } from '../../../text/src/quoted.ts'
import type { SeenFacts } from './detected.ts'
import { takesDocuments, takesPublicClients } from './oauth/identity.ts'
import type { DiscoveryObservation } from './probes/authorization.ts'

type Metadata = Readonly<Record<string, unknown>>

export function discoveryFacts(observed: DiscoveryObservation, pasted: URL): SeenFacts {
  const { challenge, parameters, issuerText } = observed
  const resource = observed.resource?.value
  const server = observed.server?.value
  const { response_types_supported: responses, grant_types_supported: grants } = server ?? {}
  return {
    pasted: pasted.href,
    challenge: {
      challenge: parameters ? 'Bearer' : (challenge.headers['www-authenticate'] ?? 'none'),
      metadataUrl: parameters?.resource_metadata,
    },
    resource: resource && { resource: resource.resource, server: issuerText },
    server: server && serverFacts(server),
    values: {
      'authorization-servers-missing': resource?.authorization_servers,
      'pkce-not-advertised': server?.code_challenge_methods_supported,
      'code-flow-not-advertised': {
        response_types_supported: responses,
        grant_types_supported: grants,
      },
      'cimd-without-none': server?.token_endpoint_auth_methods_supported,
    },
  }
}

function serverFacts(metadata: Metadata): ServerFacts {
  const { response_types_supported: responses, grant_types_supported: grants } = metadata
  const methods = metadata.code_challenge_methods_supported
  const isCode = (type: unknown) => /(?:^| )code(?: |$)/.test(textOf(type))
  return {
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    registrationEndpoint: metadata.registration_endpoint,
    pkce: Array.isArray(methods) && methods.includes('S256'),
    codeFlow:
      (!Array.isArray(responses) || responses.some(isCode)) &&
      (!Array.isArray(grants) || grants.includes('authorization_code')),
    publicClients: takesPublicClients(metadata),
    documents: takesDocuments(metadata),
    issInResponse: namesIssuer(metadata),
  }
}

/** Clients compare `iss` with the issuer of the metadata, or with the one that the resource names. */
export function responseFacts(
  parameters: URLSearchParams,
  { server, issuer, issuerText }: DiscoveryObservation,
): ResponseFacts {
  const issuers = parameters.getAll('iss')
  const iss = issuers.length === 0 ? undefined : issuers.join(', ')
  const expected = [server?.value?.issuer, issuerText ?? issuer.href]
  const isOne = issuers.length === 1 && expected.includes(iss)
  return { iss, issuer: isOne ? iss : (expected[0] ?? expected[1]) }
}

export function tokenFacts(answer: Metadata, type: string | undefined): IssuedToken {
  return {
    isDocument: true,
    type,
    hasToken: isHeaderToken(answer.access_token),
    tokenType: answer.token_type,
    expires: answer.expires_in,
    hasRefreshToken: typeof answer.refresh_token === 'string',
  }
}
