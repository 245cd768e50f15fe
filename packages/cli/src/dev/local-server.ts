/** Where `wrangler dev` serves the project of the current folder. */
import { existsSync, readFileSync } from 'node:fs'
import { CONFIGURATION_FILES } from '../../../doctor/src/config/wrangler.ts'
import { useFile } from '../../../text/src/files/file-error.ts'

/** The port of `wrangler dev` without one in the configuration. */
const DEFAULT_PORT = 8787

/** `port` of `dev`, in JSON and in TOML, outside of a comment. */
const PORT = /^[^#/\n]*\bport"?\s*[:=]\s*(\d+)/m

export const configurationFile = (): string | undefined =>
  CONFIGURATION_FILES.find((name) => existsSync(name))

export function configuredPort(): number {
  const file = configurationFile()
  const text = file === undefined ? '' : useFile(file, 'read', () => readFileSync(file, 'utf8'))
  return Number(PORT.exec(text)?.[1] ?? DEFAULT_PORT)
}

export const localOrigin = (port = configuredPort()): string => `http://localhost:${port}`
