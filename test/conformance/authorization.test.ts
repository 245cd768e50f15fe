/** The official suite against the authorization server of the protected fixture, revision by revision. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answerConsent, openBrowser } from '../clients/auth/browser.ts'
import { type FixtureServer, startFixtureServer } from '../support/node/fixture-server.ts'
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

/** The suite brings its own callback, on a port that is not known before it starts. */
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

/** A person who says yes, and whose browser goes where it is sent. */
async function visit(url: URL): Promise<void> {
  await fetch(await answerConsent(openBrowser(), url))
}

describe.each(WIRES)('on the %s wire', (wire) => {
  let results: SuiteResults = new Map()

  beforeAll(async () => {
    const clientId = await register()
    results = await runAuthorization({ wire, issuer, clientId, resource: server.url, visit })
  })

  test('every authorization scenario of the suite is known', async () => {
    expect(await listAuthorizationScenarios(wire)).toEqual(SCENARIOS)
  })

  test.for(SCENARIOS)('passes %s', (scenario) => {
    const checks: readonly Check[] = results.get(scenario) ?? []
    expect(checks.length).toBeGreaterThan(0)
    // Nothing failed, was warned of or skipped.
    expect(checks.filter(({ status }) => status !== 'SUCCESS')).toEqual([])
  })
})
