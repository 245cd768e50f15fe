/** A flood from one network, which `npm run stress -- flood` runs for longer. */
import { expect, it, onTestFinished } from 'vitest'
import { authorize } from '../../scripts/support/authorize.ts'
import { flood } from '../../scripts/support/flood.ts'
import { startFixtureServer } from '../support/node/fixture-server.ts'

/** A busy machine sends less than the default limits in this time. */
const LOW = { classes: { network: { limit: 60 }, principal: { limit: 60 } } }

it('a flood of up to 2,000 requests a second from one network leaves the calls of another principal there answered', async () => {
  const server = await startFixtureServer({ protected: true, rateLimits: LOW })
  onTestFinished(() => server.stop())
  const { origin } = new URL(server.url)
  const { statuses, calls, failures } = await flood({
    url: server.url,
    seconds: 5,
    rate: 2_000,
    floodToken: await authorize({ origin, passphrase: 'battery staple correct horse' }),
    otherToken: await authorize({ origin, passphrase: 'correct horse battery staple' }),
  })
  expect(failures).toEqual([])
  expect(calls).toBeGreaterThan(0)
  expect(Object.keys(statuses).sort()).toEqual(['200', '401', '429'])
  const lines = () =>
    server
      .log()
      .split('\n')
      .filter((line) => line.includes('limitClass='))
  // The log arrives through a pipe, later than the answers.
  await expect.poll(() => lines().length).toBeGreaterThan(0)
  // A line per refusal would fill the log.
  expect(lines().length).toBeLessThanOrEqual(2 * 30)
})
