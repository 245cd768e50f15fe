/** The server of the session tests behind an authorization server, for tests of the callers of runs. */

import { type AuthConfig, embedded, passphrase } from '../../src/auth/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from './full-app.ts'
import { sessionServer } from './session-server.ts'

export const ORIGIN = 'https://mcp.example.com'

/** Props of a grant: text that must never be found in storage. */
export const ISSUED_PROPS = { account: 'account-before-the-refresh' }
export const REFRESHED_PROPS = { account: 'account-after-the-refresh' }

const AUTH = embedded({
  origin: ORIGIN,
  scopes: { read: 'Read notes', write: 'Change notes' },
  login: passphrase({ people: { owner: 'correct horse battery staple' } }),
  hooks: {
    onIssue: () => ({ props: ISSUED_PROPS }),
    onRefresh: () => ({ props: REFRESHED_PROPS }),
  },
})

/** How many renewals of a caller fail from now on, as if the account were unreachable. */
export const unreachable = { renewals: 0 }

const WITH_FAULTS: AuthConfig = {
  ...AUTH,
  createGate: (context) => {
    const gate = AUTH.createGate(context)
    return {
      ...gate,
      // People sign in with a passphrase here, so the token names what a source of tokens receives.
      findUpstreamToken: async ({ auth, grant }) => ({
        ok: true,
        accessToken: `token of ${auth.subject} with grant ${grant?.id.length}`,
      }),
      renewCaller: async (record, env) => {
        if (unreachable.renewals > 0) {
          unreachable.renewals--
          throw new Error('The account is unreachable')
        }
        return gate.renewCaller(record, env)
      },
    }
  },
}

/** Telemetry events of the app and of its session objects. */
export const authorizedEvents: TelemetryEvent[] = []

export const authorizedApp = createFullEdgeway(sessionServer, {
  audience: 'authorized-sessions',
  auth: WITH_FAULTS,
  telemetry: (event) => authorizedEvents.push(event),
  limits: { streamAfterMs: 2000 },
})
