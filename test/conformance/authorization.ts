/** Runs the authorization scenarios of the official suite, which prints a URL and waits for a browser. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { findFreePort } from '../../scripts/support/free-port.ts'
import { type Check, SUITE_COMMAND, type SuiteResults, type Wire } from './suite.ts'

export interface AuthorizationRun {
  readonly wire: Wire
  readonly issuer: string
  readonly clientId: string
  readonly resource: string
  /** Acts as the browser: opens the printed URL and follows it to the callback. */
  readonly visit: (url: URL) => Promise<void>
}

/** The suite's authorization scenarios for a wire, sorted. */
export async function listAuthorizationScenarios(wire: Wire): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [SUITE_COMMAND, 'list'])
  const [, section = ''] = stdout.split('Authorization server scenarios')
  return [...section.matchAll(/^ {2}- (\S+) \[(.+)\]$/gm)]
    .filter(([, , versions = '']) => versions.split(',').includes(wire))
    .map(([, name = '']) => name)
    .sort()
}

/** Runs all scenarios in one process. The results do not contain a scenario that was aborted. */
export async function runAuthorization({
  wire,
  issuer,
  clientId,
  resource,
  visit,
}: AuthorizationRun): Promise<SuiteResults> {
  const directory = await mkdtemp(join(tmpdir(), 'edgeway-conformance-'))
  const selection = ['--spec-version', wire, '--output-dir', directory]
  const client = ['--client-id', clientId, '--resource', resource]
  const port = ['--port', String(await findFreePort())]
  const args = ['authorization', '--url', issuer, ...client, ...port, ...selection]
  try {
    const child = spawn(process.execPath, [SUITE_COMMAND, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    let url: URL | undefined
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith(`${issuer}/`)) url = new URL(line)
      // The suite prints the URL before its callback server listens.
      if (line.startsWith('Callback server started') && url !== undefined) await visit(url)
    }
    await exited
    return await readResults(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function readResults(directory: string): Promise<SuiteResults> {
  const results = new Map<string, readonly Check[]>()
  for (const folder of await readdir(directory)) {
    const [, scenario] = /^authorization-server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder) ?? []
    if (scenario === undefined) continue
    const text = await readFile(join(directory, folder, 'checks.json'), 'utf8')
    results.set(scenario, JSON.parse(text))
  }
  return results
}
