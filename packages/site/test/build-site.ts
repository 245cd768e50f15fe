/** Installs what the site needs, before its test files are loaded, and builds it for them. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

const SITE = resolve(import.meta.dirname, '..')

const run = promisify(execFile)
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

async function npm(...args: readonly string[]): Promise<void> {
  try {
    await run('npm', args, { cwd: SITE, maxBuffer: MAX_OUTPUT_BYTES })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`npm ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error })
  }
}

/** Called by vitest. An installation that was interrupted has no such file. */
export async function setup(): Promise<void> {
  if (!existsSync(`${SITE}/node_modules/.package-lock.json`)) await npm('ci')
}

export async function buildSite(): Promise<void> {
  await npm('run', 'build')
}
