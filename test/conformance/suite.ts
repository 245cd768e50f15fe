/** The official conformance suite: what it has for a revision, and what it says of a server. */
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

/** The checks of each scenario that ran to its end. */
export type SuiteResults = ReadonlyMap<string, readonly Check[]>

const CLI = resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
const RUN_TIMEOUT_MS = 100_000

/** Selects everything the suite would run on a wire. The oldest two have no frozen set of requirements. */
const SELECTION: Readonly<Record<Wire, readonly string[]>> = {
  '2026-07-28': ['--requirements', '2026-07-28'],
  '2025-11-25': ['--requirements', '2025-11-25'],
  '2025-06-18': ['--suite', 'all', '--spec-version', '2025-06-18'],
  '2025-03-26': ['--suite', 'all', '--spec-version', '2025-03-26'],
}

const run = promisify(execFile)

/**
 * The suite's server scenarios for a wire, sorted. Extensions are tagged without a revision; they
 * are spoken on the newest wire.
 */
export async function listScenarios(wire: Wire): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [CLI, 'list', '--server'])
  const found = [...stdout.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)]
  return found
    .filter(([, , tags = '']) => {
      const versions = tags.split(',')
      return versions.includes(wire) || (wire === '2026-07-28' && versions.includes('extension'))
    })
    .map(([, name = '']) => name)
    .sort()
}

/** Runs all scenarios of a wire in one process. A scenario that breaks off is absent from the results. */
export async function runSuite(wire: Wire, url: string): Promise<SuiteResults> {
  const directory = await mkdtemp(join(tmpdir(), 'edgeway-conformance-'))
  const args = [CLI, 'server', '--url', url, ...SELECTION[wire], '--output-dir', directory]
  try {
    // It exits with 1 when any check fails; what failed stands in the results.
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
