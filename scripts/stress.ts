/**
 * `npm run stress -- PROFILE [flags]`: many clients, or many kills of a server. Prints a report, as JSON but for `soak` and
 * `flood`. The exit code is 1 if something was lost, repeated, mixed up or missed, and 2 for an invalid flag.
 *
 * `npm run soak` is the profile `soak`. A flag of a number takes one that is not negative.
 */
import { parseArgs } from 'node:util'
import '../src/runtime/node.js'
import { measureHostileLoad } from '../packages/events/test/faults/load/hostile-load.ts'
import { measureLoad } from '../packages/events/test/faults/load/measure-load.ts'
import { POINTS } from '../packages/events/test/faults/points.ts'
import { runEventStorm } from '../packages/events/test/faults/storm.ts'
import { runBattery } from '../test/faults/isolation/battery.ts'
import { runLongWork } from '../test/faults/tasks/long-work.ts'
import { Random } from '../test/soak/random.ts'
import { formatReport } from '../test/soak/report.ts'
import { runSoak } from '../test/soak/run-soak.ts'
import { floodFixture, formatFlood } from './support/flood.ts'
import { endWithUsage } from './support/read-flags.ts'

const onProgress = (line: string) => process.stderr.write(`${line}\n`)

/** What a profile prints, and whether it passed. */
interface Outcome {
  readonly report: object | string
  readonly passed: boolean
}

/** A number is the default of a flag of one, a text that of another flag, and `false` is a flag without a value. */
type Defaults = Readonly<Record<string, number | string | false>>

type Values<Flags> = {
  readonly [Name in keyof Flags]: Flags[Name] extends number
    ? number
    : Flags[Name] extends string
      ? string
      : boolean
}

interface Profile {
  readonly what: string
  readonly flags: Defaults
  run(values: never): Promise<Outcome>
}

const profile = <const Flags extends Defaults>(
  what: string,
  flags: Flags,
  run: (values: Values<Flags>) => Promise<Outcome>,
): Profile => ({ what, flags, run })

const violating = (report: { readonly violations: readonly unknown[] }): Outcome => ({
  report,
  passed: report.violations.length === 0,
})

const SEED = Random.newSeed()

/** Without a limit of kills or minutes. */
const UNBOUNDED = Number.POSITIVE_INFINITY

const PROFILES: Readonly<Record<string, Profile>> = {
  soak: profile(
    'clients of every era on servers that are killed, and a ledger that finds what was lost',
    { minutes: UNBOUNDED, kills: UNBOUNDED, seed: SEED, json: false },
    async ({ minutes, kills, seed, json }) => {
      const isUnbounded = minutes === UNBOUNDED && kills === UNBOUNDED
      const durationMs = (isUnbounded ? 5 : minutes) * 60_000
      const report = await runSoak({ seed, kills, durationMs, onProgress })
      const text = json
        ? `${formatReport(report)}\n${JSON.stringify(report)}`
        : formatReport(report)
      return { report: text, passed: report.violations.length === 0 }
    },
  ),
  flood: profile(
    'requests of one network beyond the default rate limits, and the calls of another principal meanwhile',
    { seconds: 60, rate: 2000 },
    async (options) => {
      const report = await floodFixture(options)
      return { report: formatFlood(report, options.rate), passed: report.failures.length === 0 }
    },
  ),
  isolation: profile(
    '40 principals with different factories, on a server that is killed',
    { calls: 10_000, kills: 20, seed: SEED },
    async (options) => violating(await runBattery(options)),
  ),
  'long-work': profile(
    'a tool that works for minutes, called as each known client does, on a server that is killed',
    { seconds: 600, kills: 3 },
    async ({ seconds, kills }) => {
      const report = await runLongWork({ seconds, kills, onProgress })
      const isWhole = report.clients.every(
        ({ result }) => (result as { seconds?: unknown }).seconds === seconds,
      )
      const isRepeated = Object.keys(report.repeated).length > 0
      return { report, passed: isWhole && !isRepeated && !report.internalErrors }
    },
  ),
  'event-storm': profile(
    'kills at each moment between an event and its delivery',
    { times: 15, point: '', from: 0, seed: SEED },
    async ({ point, ...options }) => {
      const points = POINTS.filter((one) => one.includes(point))
      if (points.length === 0) fail(`--point names none of ${POINTS.join(', ')}`)
      return violating(await runEventStorm({ ...options, points, onProgress }))
    },
  ),
  'event-load': profile(
    'many event subscriptions; with --hostile, floods of subscribes and hostile receivers',
    { principals: 1000, subscriptions: 10_000, hostile: false },
    async ({ principals, subscriptions, hostile }) => {
      if (hostile) {
        const options = { others: 20, flood: 10_000, receivers: 5, seconds: 60, onProgress }
        return { report: await measureHostileLoad(options), passed: true }
      }
      if (!(subscriptions % principals === 0)) {
        fail('Each principal has the same number of subscriptions')
      }
      const report = await measureLoad({ principals, subscriptions, onProgress })
      return { report, passed: report.missed.length === 0 }
    },
  ),
}

const [name = '', ...args] = process.argv.slice(2)
const chosen = Object.hasOwn(PROFILES, name) ? PROFILES[name] : undefined
if (chosen === undefined) fail(`There is no profile ${name || 'without a name'}`)
const values = readFlags(chosen)
if ('seed' in values) process.stderr.write(`seed ${values.seed}\n`)
const { report, passed } = await chosen.run(values as never)
process.stdout.write(
  `${typeof report === 'string' ? report : JSON.stringify(report, undefined, 2)}\n`,
)
process.exit(passed ? 0 : 1)

function readFlags({ flags }: Profile): Readonly<Record<string, number | string | boolean>> {
  const options = Object.fromEntries(
    Object.entries(flags).map(([flag, value]) => [
      flag,
      { type: value === false ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  try {
    const given = parseArgs({ args, options }).values
    return Object.fromEntries(
      Object.entries(flags).map(([flag, value]) => {
        const text = given[flag]
        if (typeof text !== 'string' || typeof value !== 'number') return [flag, text ?? value]
        if (!/^\d+(\.\d+)?$/.test(text)) throw new TypeError(`--${flag} takes a number`)
        return [flag, Number(text)]
      }),
    )
  } catch (error) {
    return fail((error as Error).message)
  }
}

function usage(): string {
  const lines = Object.entries(PROFILES).map(([profile, { what, flags }]) => {
    const names = Object.entries(flags).map(([flag, value]) =>
      value === false ? `[--${flag}]` : `[--${flag} ${typeof value === 'string' ? 'TEXT' : 'N'}]`,
    )
    return `\n  ${profile} ${names.join(' ')}\n      ${what}`
  })
  return `npm run stress -- PROFILE [flags]${lines.join('')}`
}

function fail(reason: string): never {
  return endWithUsage(reason, usage())
}
