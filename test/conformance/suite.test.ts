/** The official suite against the fixture server, wire by wire: each scenario is one test. */
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { SCENARIOS } from './scenarios.ts'
import { type Check, listScenarios, runSuite, type SuiteResults, type Wire } from './suite.ts'

const WIRES: readonly Wire[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26']

/** Said of every scenario whose messages are recorded, whatever it found. */
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

describe.concurrent.each(WIRES)('on the %s wire', (wire) => {
  const { passing, waiting } = SCENARIOS[wire]
  let results: SuiteResults = new Map()

  beforeAll(async () => {
    results = await runSuite(wire, inject('fixtureUrl'))
  }, 120_000)

  test('every scenario of the suite either passes or is named as waiting', async () => {
    const named = [...passing, ...waiting.map(({ scenario }) => scenario)].sort()
    expect(named).toEqual(await listScenarios(wire))
  })

  test.for(passing)('passes %s', (scenario) => {
    const checks = checksOf(results, scenario)
    expect(faultsIn(checks)).toEqual([])
    expect(successesIn(checks)).not.toEqual([])
  })

  // The frozen sets of requirements do not run the skills extension.
  const failing = waiting.filter(({ waitsFor }) => waitsFor !== 'skills')

  test.for(failing)('still waits with $scenario for $waitsFor', ({ scenario }) => {
    const checks = checksOf(results, scenario)
    const passes = faultsIn(checks).length === 0 && successesIn(checks).length > 0
    expect(passes, 'it passes: move it to the passing ones').toBe(false)
  })
})
