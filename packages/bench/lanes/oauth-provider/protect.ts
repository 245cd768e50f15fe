/**
 * An MCP endpoint behind `@cloudflare/workers-oauth-provider` in one Worker, as its README and the
 * guide of `agents` configure it. The application's own part is `./authorize-page.ts`.
 */
import { env } from 'cloudflare:workers'
import { OAuthProvider, type OAuthProviderOptions } from '@cloudflare/workers-oauth-provider'
import { authorizePage, type Env } from './authorize-page.ts'

const { ORIGIN } = env as { readonly ORIGIN: string }

export function protect(apiHandler: OAuthProviderOptions<Env>['apiHandler']) {
  return new OAuthProvider<Env>({
    apiRoute: '/mcp',
    apiHandler,
    defaultHandler: {
      fetch: async (request, bindings) =>
        new URL(request.url).pathname === '/authorize'
          ? authorizePage(request, bindings)
          : new Response('Not found', { status: 404 }),
    },
    authorizeEndpoint: '/authorize',
    tokenEndpoint: '/oauth/token',
    clientRegistrationEndpoint: '/oauth/register',
    clientIdMetadataDocumentEnabled: true,
    scopesSupported: ['read'],
    requiredScopes: ['read'],
    resourceMetadata: { resource: `${ORIGIN}/mcp`, authorization_servers: [ORIGIN] },
  })
}
