/** Runs the official suite against the fixture server, for each revision. Each scenario is one test. */
// features: auth
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { SCENARIOS } from './scenarios.ts'
import { type Check, listScenarios, runSuite, type SuiteResults, type Wire } from './suite.ts'

const WIRES: readonly Wire[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']

/** A check of every scenario that records messages. It does not prove that the scenario tested anything. */
const COMMON_CHECK = 'wire-schema-valid'

function faultsIn(checks: readonly Check[]): readonly Check[] {
  return checks.filter(({ status }) => ['FAILURE', 'WARNING', 'SKIPPED'].includes(status))
}

function successesIn(checks: readonly Check[]): readonly string[] {
  return checks
    .filter(({ status, id }) => status === 'SUCCESS' && id !== COMMON_CHECK)
    .map(({ id }) => id)
}

function checksOf(results: SuiteResults, scenario: string): readonly Check[] {
  const checks = results.get(scenario)
  if (checks === undefined) throw new Error(`The suite did not finish ${scenario}`)
  return checks
}

describe.concurrent.each(WIRES)('the server scenarios of %s', (wire) => {
  const { passing, skipped = [] } = SCENARIOS[wire]
  let results: SuiteResults = new Map()

  beforeAll(async () => {
    results = await runSuite(wire, inject('fixtureUrl'))
  }, 300_000)

  test('are all listed as passing or as skipped', async () => {
    const named = [...passing, ...skipped].sort()
    expect(named).toEqual(await listScenarios(wire))
  })

  test.for(passing)('include %s, which passes', (scenario) => {
    const checks = checksOf(results, scenario)
    expect(faultsIn(checks)).toEqual([])
    expect(successesIn(checks)).not.toEqual([])
  })

  test.for(skipped)('include %s, which the suite skips', (scenario) => {
    expect(successesIn(checksOf(results, scenario))).toEqual([])
  })
})
