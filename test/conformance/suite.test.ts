/** Runs the official suite against the fixture server, for each revision. Each scenario is one test. */
// features: auth
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
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
    verifies('base-protocol/required-components', { row: 'server-initialize' })
    verifies('base-protocol/required-components-of-modern-servers', { row: 'server-stateless' })
    verifies('statelessness/server-sends-no-requests', { row: 'server-stateless' })
    verifies('streamable-http/no-requests-on-a-modern-stream', { row: 'server-stateless' })
    verifies('base-protocol/result-has-a-result-type', { row: 'result-type' })
    verifies('json-schema/dialect-2020-12', { row: 'json-schema-2020-12' })
    verifies('meta/missing-capability-is-named', { row: 'capability-check' })
    verifies('mrtr/asks-are-input-requests', { row: 'basic-elicitation' })
    verifies('mrtr/supported-requests', { row: 'unsupported-methods' })
    verifies('mrtr/kinds-of-input-requests', { row: 'multiple-input-requests' })
    verifies('streamable-http/origin-is-validated', { row: 'dns-rebinding-protection' })
    verifies('request-headers/standard-headers-are-required', { row: 'http-header-validation' })
    verifies('request-headers/mismatch-is-400', { row: 'http-custom-header-server-validation' })
    verifies('resources/missing-resource-code', { row: 'sep-2164-resource-not-found' })
    verifies('caching/hints-on-cacheable-results', { row: 'caching' })
    verifies('tasks/no-task-without-capability', { row: 'tasks-capability-negotiation' })
    verifies('tasks/methods-need-the-capability', { row: 'tasks-capability-negotiation' })
    verifies('tasks/required-task-is-an-error', { row: 'tasks-required-task-error' })
    verifies('tasks/result-type-of-others-is-not-task', { row: 'tasks-dispatch-and-envelope' })
    verifies('tasks/result-type-of-tasks-methods', { row: 'tasks-dispatch-and-envelope' })
    verifies('tasks/failed-is-for-protocol-errors', { row: 'tasks-lifecycle' })
    verifies('tasks/get-answers-the-status', { row: 'tasks-lifecycle' })
    verifies('tasks/update-is-acknowledged', { row: 'tasks-mrtr-input' })
    verifies('tasks/name-header-is-the-task', { row: 'tasks-request-headers' })
    verifies('skills/declared-directory-read-exists', { row: 'sep-2640-skills-directory' })
    verifies('skills/results-are-complete', { row: 'sep-2640-skills-directory' })
    verifies('skills/no-folder-is-invalid-params', { row: 'sep-2640-skills-directory' })
    verifies('skills/frontmatter-is-that-of-the-file', { row: 'sep-2640-skills-manifest' })
    verifies('skills/entry-has-resources', { row: 'sep-2640-skills-manifest' })
    verifies('skills/results-are-complete', { row: 'sep-2640-skills-enumeration' })
    verifies('skills/list-and-entry-have-cache-hints', { row: 'sep-2640-skills-enumeration' })
    verifies('skills/unknown-skill-is-invalid-params', { row: 'sep-2640-skills-enumeration' })
    const checks = checksOf(results, scenario)
    expect(faultsIn(checks)).toEqual([])
    expect(successesIn(checks)).not.toEqual([])
  })

  test.for(skipped)('include %s, which the suite skips', (scenario) => {
    expect(successesIn(checksOf(results, scenario))).toEqual([])
  })
})
