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

/** Selects all scenarios of a revision. The oldest two have no requirement set. */
const SELECTION: Readonly<Record<Wire, readonly string[]>> = {
  '2026-07-28': ['--requirements', '2026-07-28'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2025-06-18': ['--suite', 'all', '--spec-version', '2025-06-18'],
  '2025-03-26': ['--suite', 'all', '--spec-version', '2025-03-26'],
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

/** Runs all scenarios in one process. The results do not contain a scenario that was aborted. */
export async function runSuite(wire: Wire, url: string): Promise<SuiteResults> {
  const directory = await mkdtemp(join(tmpdir(), 'edgeway-conformance-'))
  const args = [
    SUITE_COMMAND,
    'server',
    '--url',
    url,
    ...SELECTION[wire],
    '--output-dir',
    directory,
  ]
  try {
    // The suite exits with 1 when any check fails. The results contain the failures.
    await run(process.execPath, args, { timeout: RUN_TIMEOUT_MS, maxBuffer: 2 ** 26 }).catch(
      (error: { code?: unknown }) => {
        if (error.code !== 1) throw error
      },
    )
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
