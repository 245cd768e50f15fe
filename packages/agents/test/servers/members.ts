/**
 * Tools for members, with the calls of Cloudflare's demo `remote-mcp-github-oauth`: an `OAuthProvider` in
 * front puts the user into the props, and a list of names decides who has a further tool.
 */
import OAuthProvider, { type OAuthHelpers } from '@cloudflare/workers-oauth-provider'
import { z } from 'zod'
import { McpServer } from '../../../sdk/src/index.ts'
import { McpAgent } from '../../src/index.ts'

/** What the sign-in knows about the user. */
type Props = {
  login: string
  accessToken: string
}

interface Env extends Cloudflare.Env {
  readonly OAUTH_PROVIDER: OAuthHelpers
}

const PAINTERS = new Set(['ada'])

export class Members extends McpAgent<Env, Record<string, never>, Props> {
  server = new McpServer({ name: 'Members', version: '1.0.0' })

  async init() {
    this.server.tool('whoami', 'Names the user', {}, async () => ({
      content: [
        { type: 'text', text: `${this.props?.login} with ${this.props?.accessToken.length}` },
      ],
    }))
    if (PAINTERS.has(this.props?.login ?? '')) {
      this.server.tool(
        'paint',
        'Paints for a few people',
        {
          prompt: z.string().describe('What to paint'),
          steps: z.number().min(4).max(8).default(4),
        },
        async ({ prompt, steps }) => ({
          content: [{ type: 'image', mimeType: 'image/png', data: btoa(`${prompt} ${steps}`) }],
        }),
      )
    }
  }
}

/** Signs in whom `login` names, where the demo sends the browser to GitHub. */
const signIn = {
  async fetch(request: Request, env: Env) {
    const login = new URL(request.url).searchParams.get('login')
    if (login === null) return new Response('No page here', { status: 404 })
    const info = await env.OAUTH_PROVIDER.parseAuthRequest(request)
    const { redirectTo } = await env.OAUTH_PROVIDER.completeAuthorization({
      request: info,
      userId: login,
      metadata: { label: login },
      scope: info.scope,
      props: { login, accessToken: `token-of-${login}` },
    })
    return Response.redirect(redirectTo)
  },
}

export const MEMBERS_ORIGIN = 'https://members.example.com'

export const membersWorker = new OAuthProvider<Env>({
  apiHandlers: { '/mcp': Members.serve('/mcp', { binding: 'MEMBERS', transport: 'auto' }) },
  resourceMetadata: { resource: `${MEMBERS_ORIGIN}/mcp` },
  defaultHandler: signIn,
  authorizeEndpoint: '/authorize',
  tokenEndpoint: '/token',
  clientRegistrationEndpoint: '/register',
})
