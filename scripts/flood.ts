/**
 * `npm run flood -- [--seconds N] [--rate N]`: floods the protected fixture server, which has the default
 * rate limits, from one network, and prints how the calls of another principal are answered meanwhile.
 * The exit code is 1 when one of them fails.
 */
import { parseArgs } from 'node:util'
import { authorize } from './support/authorize.ts'
import { protectedServer } from './support/fixture-servers.ts'
import { flood } from './support/flood.ts'
import { startServer } from './support/server.ts'

const { seconds, rate } = readFlags()
const served = await protectedServer({ port: 0, rateLimits: {} })
const server = await startServer({ ...served, onLog: () => undefined })
const { origin } = new URL(server.url)
const report = await flood({
  url: server.url,
  seconds,
  rate,
  floodToken: await authorize({ origin, passphrase: 'battery staple correct horse' }),
  otherToken: await authorize({ origin, passphrase: 'correct horse battery staple' }),
})
await server.stop()
const { sent, statuses, calls, failures } = report
const perSecond = (sent / report.seconds).toFixed(0)
const byStatus = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
process.stdout.write(`flood: ${sent} requests in ${report.seconds.toFixed(1)} s, ${perSecond}/s of ${rate}/s
answers by status: ${byStatus.join(', ')} (refused by a rate limit: ${statuses['429'] ?? 0})
other principal: ${calls} calls, ${failures.length} failed, median ${report.medianMs.toFixed(1)} ms, p99 ${report.p99Ms.toFixed(1)} ms
`)
for (const failure of failures.slice(0, 10)) process.stdout.write(`failed: ${failure}\n`)
process.exit(failures.length === 0 ? 0 : 1)

/** An invalid flag ends the process with code 2 and the usage. */
function readFlags(): { readonly seconds: number; readonly rate: number } {
  try {
    const { values } = parseArgs({
      options: {
        seconds: { type: 'string', default: '60' },
        rate: { type: 'string', default: '2000' },
      },
    })
    const flags = { seconds: Number(values.seconds), rate: Number(values.rate) }
    for (const [name, value] of Object.entries(flags)) {
      if (!(value > 0 && value <= 100_000)) throw new TypeError(`--${name} takes a number above 0`)
    }
    return flags
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.stderr.write('usage: npm run flood -- [--seconds N] [--rate N]\n')
    return process.exit(2)
  }
}
