/** Runs the official suite against the authorization server of the protected fixture, for each revision. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerConsent, openBrowser } from '../clients/auth/browser.ts'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
import { verifies } from '../support/verifies.ts'
import { listAuthorizationScenarios, runAuthorization } from './authorization.ts'
import type { Check, SuiteResults, Wire } from './suite.ts'

const WIRES: readonly Wire[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']

const SCENARIOS = ['authorization-code-grant', 'authorization-server-metadata-endpoint']

let server: FixtureServer
let issuer: string

beforeAll(async () => {
  server = await startFixtureServer({ protected: true })
  issuer = new URL(server.url).origin
})
afterAll(() => server.stop())

/** Registers a client for the suite, whose callback has a port that is not known in advance. */
async function register(): Promise<string> {
  const response = await fetch(`${issuer}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Conformance suite',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    }),
  })
  return ((await response.json()) as { client_id: string }).client_id
}

/** Approves the consent page and follows the redirect. */
async function visit(url: URL): Promise<void> {
  await fetch(await answerConsent(openBrowser(), url))
}

describe.each(WIRES)('the authorization scenarios of %s', (wire) => {
  let results: SuiteResults = new Map()

  beforeAll(async () => {
    const clientId = await register()
    results = await runAuthorization({ wire, issuer, clientId, resource: server.url, visit })
  })

  test('are exactly those that these tests list', async () => {
    expect(await listAuthorizationScenarios(wire)).toEqual(SCENARIOS)
  })

  test.for(SCENARIOS)('include %s, which passes', (scenario) => {
    verifies('authorization/oauth-2-1', 'authorization-security/oauth-2-1-security')
    verifies('authorization-security/secure-considerations-of-pages')
    verifies('client-credentials/conformance')
    const checks: readonly Check[] = results.get(scenario) ?? []
    expect(checks.length).toBeGreaterThan(0)
    // Warnings and skipped checks count as failures.
    expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
  })
})
