/** The servers of this repository: the doctor finds nothing. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { authorize } from '../../../scripts/support/authorize.ts'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import { startFixtureServer, startLoggedServer } from '../../../test/support/node/fixture-server.ts'
import { approve } from './approve.ts'
import { codesOf, disconnected, examineQuickly } from './examine.ts'

const OWNER = 'correct horse battery staple'

/** A tool of the conformance suite has allOf and if at the root of its inputSchema, as the suite asks for. */
const OF_THE_SUITE = ['tool-schema-composed']

describe('the doctor at the servers of this repository', () => {
  it('finds the schema of the conformance suite alone at the fixture server, also across a restart', async () => {
    const server = await startFixtureServer()
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url, {
      streamWaitMs: 1000,
      timeoutMs: 10_000,
      restart: 'true',
    })
    expect(codesOf(report)).toEqual(OF_THE_SUITE)
    expect(disconnected(report)).toEqual([])
  })

  it('finds nothing more in the events of the fixture server, with a subscription and a delivery', async () => {
    const port = await findFreePort()
    const callback = new URL(`http://127.0.0.1:${port}`)
    const server = await startFixtureServer({ callbackOrigins: [callback.origin], challenge: true })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url, {
      timeoutMs: 10_000,
      active: true,
      eventWaitMs: 32_500,
      callback,
    })
    expect(codesOf(report)).toEqual(OF_THE_SUITE)
    expect(report.notes).toEqual([expect.stringContaining('The URL is local')])
  })

  it('finds nothing more at the protected server: registration, sign-in, calls and refreshes', async () => {
    const server = await startFixtureServer({ protected: true })
    onTestFinished(() => server.stop())
    const report = await examineQuickly(server.url, {
      timeoutMs: 10_000,
      active: true,
      eventWaitMs: 1000,
      login: true,
      onLogin: (page) => approve(page, OWNER),
    })
    expect(codesOf(report)).toEqual(OF_THE_SUITE)
    expect(disconnected(report)).toEqual([])
    expect(report.notes).toEqual([
      expect.stringContaining('refuses a callback on this computer, as it should'),
      expect.stringContaining('The URL is local'),
    ])
  })

  it('finds nothing at the notebook with a token', async () => {
    const port = await findFreePort()
    const origin = `http://127.0.0.1:${port}`
    const server = await startLoggedServer({
      configPath: `${PROJECT_DIRECTORY}/wrangler.toml`,
      port,
      state: undefined,
      vars: { EDGEWAY_ORIGIN: origin },
    })
    onTestFinished(() => server.stop())
    const token = await authorize({ origin })
    const report = await examineQuickly(server.url, { timeoutMs: 10_000, token })
    expect(codesOf(report)).toEqual([])
    expect(disconnected(report)).toEqual([])
  })
})
