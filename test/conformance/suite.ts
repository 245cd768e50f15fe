/** Lists and runs the server scenarios of the official conformance suite. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

export type Wire = '2026-07-28' | '2025-11-25' | '2025-06-18' | '2025-03-26'

export interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

/** The checks of each completed scenario. */
export type SuiteResults = ReadonlyMap<string, readonly Check[]>

/** The program of the suite. */
export const SUITE_COMMAND = resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
const RUN_TIMEOUT_MS = 100_000

/**
 * Select all scenarios of a revision, in one or several runs. The oldest two have no requirement set, and
 * that of the newest one is older than the skills extension.
 */
const SELECTIONS: Readonly<Record<Wire, readonly (readonly string[])[]>> = {
  '2026-07-28': [
    ['--requirements', '2026-07-28'],
    ...['directory', 'enumeration', 'manifest'].map((name) => [
      '--scenario',
      `sep-2640-skills-${name}`,
    ]),
  ],
  '2025-11-25': [['--requirements', '2025-11-25']],
  '2025-06-18': [['--suite', 'all', '--spec-version', '2025-06-18']],
  '2025-03-26': [['--suite', 'all', '--spec-version', '2025-03-26']],
}

const run = promisify(execFile)

/**
 * Lists the server scenarios for a revision, sorted. Extensions have no revision in their tags and belong
 * to the newest one.
 */
export async function listScenarios(wire: Wire): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [SUITE_COMMAND, 'list', '--server'])
  const found = [...stdout.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)]
  return found
    .filter(([, , tags = '']) => {
      const versions = tags.split(',')
      return versions.includes(wire) || (wire === '2026-07-28' && versions.includes('extension'))
    })
    .map(([, name = '']) => name)
    .sort()
}

/** Runs all scenarios. The results do not contain a scenario that was aborted. */
export async function runSuite(wire: Wire, url: string): Promise<SuiteResults> {
  const directory = await mkdtemp(join(tmpdir(), 'edgeway-conformance-'))
  const runOf = async (selection: readonly string[]) => {
    const args = [SUITE_COMMAND, 'server', '--url', url, ...selection, '--output-dir', directory]
    // The suite exits with 1 when any check fails. The results contain the failures.
    await run(process.execPath, args, { timeout: RUN_TIMEOUT_MS, maxBuffer: 2 ** 26 }).catch(
      (error: { code?: unknown }) => {
        if (error.code !== 1) throw error
      },
    )
  }
  try {
    for (const selection of SELECTIONS[wire]) await runOf(selection)
    return await readResults(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function readResults(directory: string): Promise<SuiteResults> {
  const results = new Map<string, readonly Check[]>()
  for (const folder of await readdir(directory)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder) ?? []
    const text = await readFile(join(directory, folder, 'checks.json'), 'utf8').catch(
      () => undefined,
    )
    if (scenario !== undefined && text !== undefined) results.set(scenario, JSON.parse(text))
  }
  return results
}
