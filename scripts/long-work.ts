/**
 * `npm run long-work -- [--seconds N] [--kills N]`: a tool that works for ten minutes, called by each client that
 * `edgeway/testing` plays, on a server that is killed. The exit code is 1 if one does not get its result, or a step is repeated.
 */
import { runLongWork } from '../test/faults/tasks/long-work.ts'
import { readFlags } from './support/read-flags.ts'

const USAGE = 'npm run long-work -- [--seconds N] [--kills N]'
const values = readFlags(USAGE, {
  seconds: { type: 'string', default: '600' },
  kills: { type: 'string', default: '3' },
})
const [seconds, kills] = [Number(values.seconds), Number(values.kills)]
if (!(seconds > 0) || !(kills >= 0)) {
  process.stderr.write(`usage: ${USAGE}\n`)
  process.exit(2)
}
const onProgress = (line: string) => process.stderr.write(`${line}\n`)
const report = await runLongWork({ seconds, kills, onProgress })
process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
const isWhole = report.clients.every(
  ({ result }) => (result as { seconds?: unknown }).seconds === seconds,
)
const isClean = Object.keys(report.repeated).length === 0 && !report.internalErrors
process.exit(isWhole && isClean ? 0 : 1)
