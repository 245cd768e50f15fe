/** Finds Chromium on this machine, or installs it with apt-get as root. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** The browser without windows: the tests take half the processor time in it. */
const SHELL = 'chromium-headless-shell'

const NAMES = [
  SHELL,
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
]

const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** @throws {Error} with instructions, when Chromium is missing and cannot be installed */
export async function findChromium(): Promise<string> {
  const found = installed()
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
  const now = installed()
  if (now === undefined) throw new Error('Chromium was installed but not found')
  return now
}

function installed(): string | undefined {
  const named = process.env.CHROMIUM_PATH ?? ''
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)))
  const candidates = [named, ...onPath, ...APPLICATIONS, ...ofPlaywright()]
  return candidates.find((path) => path !== '' && isExecutable(path))
}

/** The browsers in the cache of Playwright. */
function ofPlaywright(): readonly string[] {
  const cache = process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(homedir(), '.cache/ms-playwright')
  if (!existsSync(cache)) return []
  return readdirSync(cache)
    .filter((name) => /^chromium-\d+$/.test(name))
    .flatMap((name) => [
      join(cache, name, 'chrome-linux/chrome'),
      join(cache, name, 'chrome-linux64/chrome'),
    ])
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // Missing or not executable.
    return false
  }
}
