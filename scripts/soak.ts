/**
 * `npm run soak -- [--minutes N] [--kills N] [--seed S] [--json]`: clients of every era work against
 * servers that are killed and restarted, and a ledger finds what was lost, repeated or mixed up. The exit
 * code is 1 if there are violations.
 */
import { parseArgs } from 'node:util'
import { Random } from '../test/soak/random.ts'
import { formatReport } from '../test/soak/report.ts'
import { runSoak } from '../test/soak/run-soak.ts'

const DEFAULT_MINUTES = 5

function readFlags() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        kills: { type: 'string' },
        seed: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    })
    const kills = readNumber('kills', values.kills)
    const unbounded = kills === undefined ? DEFAULT_MINUTES : Number.POSITIVE_INFINITY
    const minutes = readNumber('minutes', values.minutes) ?? unbounded
    return {
      seed: readNumber('seed', values.seed) ?? Random.newSeed(),
      durationMs: minutes * 60_000,
      kills: kills ?? Number.POSITIVE_INFINITY,
      json: values.json,
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.stderr.write('usage: npm run soak -- [--minutes N] [--kills N] [--seed S] [--json]\n')
    return process.exit(2)
  }
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d+(\.\d+)?$/.test(text)) throw new TypeError(`--${name} takes a number`)
  return Number(text)
}

const { json, ...options } = readFlags()
process.stdout.write(`seed ${options.seed}\n`)
const onProgress = (line: string) => process.stderr.write(`${line}\n`)
const report = await runSoak({ ...options, onProgress })
process.stdout.write(`${formatReport(report)}\n`)
if (json) process.stdout.write(`${JSON.stringify(report)}\n`)
process.exit(report.violations.length === 0 ? 0 : 1)
