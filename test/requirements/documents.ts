/** Every document of requirements, by the name of its file, in the order of the page. */
import { apps } from './apps.ts'
import { authorization } from './authorization.ts'
import { authorizationDiscovery } from './authorization-discovery.ts'
import { authorizationSecurity } from './authorization-security.ts'
import { authorizationSecurityPractices } from './authorization-security-practices.ts'
import { authorizationServerMetadata } from './authorization-server-metadata.ts'
import { baseProtocol } from './base-protocol.ts'
import { bearerTokens } from './bearer-tokens.ts'
import { caching } from './caching.ts'
import { cancellation } from './cancellation.ts'
import { changelog } from './changelog.ts'
import { clientCredentials } from './client-credentials.ts'
import { clientIdMetadataDocuments } from './client-id-metadata-documents.ts'
import { completion } from './completion.ts'
import { dpop } from './dpop.ts'
import { dynamicClientRegistration } from './dynamic-client-registration.ts'
import { earlierTasks } from './earlier-tasks.ts'
import { elicitation } from './elicitation.ts'
import { enterpriseManagedAuthorization } from './enterprise-managed-authorization.ts'
import { httpSse } from './http-sse.ts'
import { icons } from './icons.ts'
import { identityAssertions } from './identity-assertions.ts'
import { issuerIdentification } from './issuer-identification.ts'
import { jsonSchema } from './json-schema.ts'
import { jwtAccessTokens } from './jwt-access-tokens.ts'
import { jwtAssertions } from './jwt-assertions.ts'
import { keyWords } from './key-words.ts'
import { lifecycle } from './lifecycle.ts'
import { logging } from './logging.ts'
import { meta } from './meta.ts'
import { mrtr } from './mrtr.ts'
import { nativeApps } from './native-apps.ts'
import { oauth20 } from './oauth-2-0.ts'
import { oauth21Clients } from './oauth-2-1-clients.ts'
import { oauth21Endpoints } from './oauth-2-1-endpoints.ts'
import { oauth21Grants } from './oauth-2-1-grants.ts'
import { oauth21ResourceRequests } from './oauth-2-1-resource-requests.ts'
import { oauth21Security } from './oauth-2-1-security.ts'
import { oauthSecurityPractice } from './oauth-security-practice.ts'
import { openidConnect } from './openid-connect.ts'
import { pagination } from './pagination.ts'
import { ping } from './ping.ts'
import { pkce } from './pkce.ts'
import { progress } from './progress.ts'
import { prompts } from './prompts.ts'
import { protectedResourceMetadata } from './protected-resource-metadata.ts'
import { requestHeaders } from './request-headers.ts'
import type { RequirementDocument } from './requirement.ts'
import { resourceIndicators } from './resource-indicators.ts'
import { resources } from './resources.ts'
import { roots } from './roots.ts'
import { sampling } from './sampling.ts'
import { skills } from './skills.ts'
import { statelessness } from './statelessness.ts'
import { stdio } from './stdio.ts'
import { streamableHttp } from './streamable-http.ts'
import { subscriptions } from './subscriptions.ts'
import { tasks } from './tasks.ts'
import { tokenIntrospection } from './token-introspection.ts'
import { tokenRevocation } from './token-revocation.ts'
import { tools } from './tools.ts'
import { transports } from './transports.ts'
import { versioning } from './versioning.ts'

export const DOCUMENTS: Readonly<Record<string, RequirementDocument>> = {
  'key-words': keyWords,
  'base-protocol': baseProtocol,
  statelessness,
  'json-schema': jsonSchema,
  meta,
  icons,
  lifecycle,
  versioning,
  cancellation,
  progress,
  subscriptions,
  mrtr,
  transports,
  stdio,
  'http-sse': httpSse,
  'streamable-http': streamableHttp,
  'request-headers': requestHeaders,
  ping,
  elicitation,
  roots,
  sampling,
  prompts,
  resources,
  tools,
  caching,
  completion,
  logging,
  pagination,
  changelog,
  authorization,
  'authorization-discovery': authorizationDiscovery,
  'authorization-security': authorizationSecurity,
  'authorization-security-practices': authorizationSecurityPractices,
  'client-credentials': clientCredentials,
  'enterprise-managed-authorization': enterpriseManagedAuthorization,
  'identity-assertions': identityAssertions,
  'oauth-2-1-clients': oauth21Clients,
  'oauth-2-1-endpoints': oauth21Endpoints,
  'oauth-2-1-grants': oauth21Grants,
  'oauth-2-1-resource-requests': oauth21ResourceRequests,
  'oauth-2-1-security': oauth21Security,
  'oauth-2-0': oauth20,
  'bearer-tokens': bearerTokens,
  pkce,
  'oauth-security-practice': oauthSecurityPractice,
  'native-apps': nativeApps,
  'protected-resource-metadata': protectedResourceMetadata,
  'authorization-server-metadata': authorizationServerMetadata,
  'issuer-identification': issuerIdentification,
  'resource-indicators': resourceIndicators,
  'dynamic-client-registration': dynamicClientRegistration,
  'client-id-metadata-documents': clientIdMetadataDocuments,
  'jwt-assertions': jwtAssertions,
  'jwt-access-tokens': jwtAccessTokens,
  dpop,
  'token-revocation': tokenRevocation,
  'token-introspection': tokenIntrospection,
  'openid-connect': openidConnect,
  'earlier-tasks': earlierTasks,
  tasks,
  skills,
  apps,
}
