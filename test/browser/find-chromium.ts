/** Finds Chromium on this machine, or installs it with apt-get as root. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { installedBrowser } from '../../packages/cli/src/views/installed-browser.ts'

/** The browser without windows: the tests take half the processor time in it. */
const SHELL = 'chromium-headless-shell'

/** @throws {Error} with instructions, when Chromium is missing and cannot be installed */
export async function findChromium(): Promise<string> {
  const found = installedBrowser()
  if (found !== undefined) return found
  const root = process.getuid?.() === 0
  if (!root || !existsSync('/usr/bin/apt-get')) {
    throw new Error('The browser tests need Chromium or Chrome: install one, or set CHROMIUM_PATH')
  }
  const run = promisify(execFile)
  await run('apt-get', ['update'])
  await run('apt-get', ['install', '--yes', '--no-install-recommends', SHELL], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  })
  const now = installedBrowser()
  if (now === undefined) throw new Error('Chromium was installed but not found')
  return now
}
