/** Open state of people who sign in at an OpenID provider. */
import { answerConsent, openBrowser } from '../../clients/auth/browser.ts'
import {
  authorizeUrl,
  codeIn,
  createVerifier,
  type HeldClient,
  redeem,
  refresh,
  register,
  statusWith,
  type Tokens,
  tokensIn,
} from '../../support/node/oauth-client.ts'
import { openState } from '../open-state.ts'
import type { ServedEndpoint } from '../upgrade-server.ts'

interface HeldSignIn {
  readonly client: HeldClient
  readonly verifier: string
  readonly cookies: Readonly<Record<string, string>>
  /** The redirect of the provider. */
  readonly callback: string
}

/** Approves a request and signs in at the provider, up to its redirect. */
async function beginSignIn(server: ServedEndpoint, label: string): Promise<HeldSignIn> {
  const client = await register(server, { client_name: label })
  const browser = openBrowser(server)
  const verifier = createVerifier()
  const { searchParams } = await answerConsent(browser, authorizeUrl(server, client, verifier))
  const callback = new URL('/authorize/callback', server.origin)
  callback.searchParams.set('code', searchParams.get('nonce') ?? '')
  callback.searchParams.set('state', searchParams.get('state') ?? '')
  return { client, verifier, cookies: browser.cookies(), callback: callback.href }
}

async function finishSignIn(server: ServedEndpoint, held: HeldSignIn): Promise<Tokens> {
  const { client, verifier, cookies, callback } = held
  const { location } = await openBrowser({ ...server, cookies }).open(new URL(callback))
  return tokensIn(await redeem(server, client, { code: codeIn(location), verifier }))
}

export const UPSTREAM_STATES = {
  'grant with upstream tokens': openState<{ client: HeldClient; tokens: Tokens }>({
    title: 'renews the upstream tokens of a grant',
    isOlder: true,
    async leave(server, label) {
      const held = await beginSignIn(server, label)
      return { client: held.client, tokens: await finishSignIn(server, held) }
    },
    async resume(server, { client, tokens }, expect) {
      expect(await statusWith(server, tokens.access)).toBe(200)
      const refreshed = tokensIn(await refresh(server, client, tokens.refresh))
      expect(await statusWith(server, refreshed.access)).toBe(200)
    },
  }),

  'sign-in at the provider': openState<HeldSignIn>({
    title: 'continues a sign-in that its provider has completed',
    leave: beginSignIn,
    async resume(server, held, expect) {
      const { access } = await finishSignIn(server, held)
      expect(await statusWith(server, access)).toBe(200)
    },
  }),
}
