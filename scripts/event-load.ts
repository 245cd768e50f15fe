/**
 * `npm run event-load -- [--principals N] [--subscriptions N]`: measures a server with many subscriptions. The exit code
 * is 1 if a bar is missed. With `--hostile`, it measures what floods of subscribes and hostile receivers do to the
 * deliveries of others. Prints a report as JSON, with the load average of the machine beside each figure.
 */
import '../src/runtime/node.js'
import { measureHostileLoad } from '../packages/events/test/faults/load/hostile-load.ts'
import { measureLoad } from '../packages/events/test/faults/load/measure-load.ts'
import { readFlags } from './support/read-flags.ts'

const USAGE = 'npm run event-load -- [--hostile] [--principals N] [--subscriptions N]'
const values = readFlags(USAGE, {
  principals: { type: 'string', default: '1000' },
  subscriptions: { type: 'string', default: '10000' },
  hostile: { type: 'boolean', default: false },
})
const [principals, subscriptions] = [values.principals, values.subscriptions].map(Number)
if (!principals || !subscriptions || subscriptions % principals !== 0) {
  process.stderr.write(`usage: ${USAGE}\nEach principal has the same number of subscriptions.\n`)
  process.exit(2)
}
const onProgress = (line: string) => process.stderr.write(`${line}\n`)
if (values.hostile) {
  const options = { others: 20, flood: 10_000, receivers: 5, seconds: 60, onProgress }
  process.stdout.write(`${JSON.stringify(await measureHostileLoad(options), undefined, 2)}\n`)
  process.exit(0)
}
const report = await measureLoad({ principals, subscriptions, onProgress })
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
process.exit(report.missed.length === 0 ? 0 : 1)
