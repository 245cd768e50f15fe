/** Finds Chromium or Chrome on this machine. */
import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

const NAMES = [
  // Without windows: it takes half the processor time.
  'chromium-headless-shell',
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

/** @returns its path; undefined where there is none */
export function installedBrowser(): string | undefined {
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
