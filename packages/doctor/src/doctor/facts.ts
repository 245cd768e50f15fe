/** What the probes have seen, as the checks of connections compare it (`packages/faults/src/checks`). */
import { serverFacts } from '../../../faults/src/checks/documents.ts'
import type { ResponseFacts } from '../../../faults/src/checks/facts.ts'
import type { SeenFacts } from './detected.ts'
import type { DiscoveryObservation } from './probes/authorization.ts'

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
