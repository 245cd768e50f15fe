/** The wrangler of the project: reads its configuration the way that it deploys it. */
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Unstable_Config as WranglerConfig } from 'wrangler'
import { CommandError } from '../../../text/src/command-error.ts'
import { useFile } from '../../../text/src/files/file-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'

export type { WranglerConfig }

export interface ProjectWrangler {
  readonly api: typeof import('wrangler')
  /** The file that runs its command line. */
  readonly program: string
  /** Resolves modules as wrangler does. */
  readonly require: NodeJS.Require
}

/** Earlier ones have no `unstable_getMiniflareWorkerOptions` of the form that is read, or name no environments. */
const OLDEST_MAJOR = 4

/** In the order of wrangler. */
export const CONFIGURATION_FILES = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml']

/**
 * The configuration file at a path: the file itself, or that of the folder.
 *
 * @throws {CommandError}
 */
export function findConfiguration(path: string): string {
  const place = resolve(path)
  const found = useFile(place, 'read', () => statSync(place, { throwIfNoEntry: false }))
  if (found === undefined) throw new CommandError(`There is no folder ${printable(place, 1000)}`)
  if (!found.isDirectory()) return place
  const names = useFile(place, 'read', () => readdirSync(place))
  const name = CONFIGURATION_FILES.find((one) => names.includes(one))
  if (name !== undefined) return join(place, name)
  throw new CommandError(
    `${printable(place, 1000)} has none of ${CONFIGURATION_FILES.join(', ')}. Run edgeway doctor --config in the folder of a project`,
  )
}

/** @throws {CommandError} when wrangler is not installed for the project, or is too old */
export async function loadWrangler(configPath: string): Promise<ProjectWrangler> {
  const fromProject = createRequire(configPath)
  let packagePath: string
  try {
    packagePath = fromProject.resolve('wrangler/package.json')
  } catch {
    throw new CommandError(
      `wrangler is not installed in ${printable(dirname(configPath), 1000)}. Install it: npm install --save-dev wrangler`,
    )
  }
  const require = createRequire(packagePath)
  const { version } = require(packagePath) as { readonly version?: unknown }
  if (!(Number.parseInt(String(version), 10) >= OLDEST_MAJOR)) {
    throw new CommandError(
      `The project has wrangler ${printable(String(version))}, and its examination needs wrangler ${OLDEST_MAJOR}. Update it: npm install --save-dev wrangler@${OLDEST_MAJOR}`,
    )
  }
  // It prints to the output of this process otherwise.
  process.env.WRANGLER_LOG = 'none'
  const api: typeof import('wrangler') = await import(
    pathToFileURL(require.resolve('wrangler')).href
  )
  return {
    api,
    program: join(dirname(packagePath), 'bin/wrangler.js'),
    require,
  }
}

export interface Environment {
  /** Undefined for the top level. */
  readonly name: string | undefined
  readonly config: WranglerConfig
}

/**
 * The configuration at the top level, and that of each environment with what it inherits.
 *
 * @throws {CommandError} with the line and column of a syntax error, or with wrangler's message
 */
export function readEnvironments(
  { api }: ProjectWrangler,
  configPath: string,
): readonly [Environment, ...Environment[]] {
  const read = (name: string | undefined): Environment => ({
    name,
    config: api.unstable_readConfig({ config: configPath, env: name }, { hideWarnings: true }),
  })
  try {
    // The variable selects the environment of the top level too.
    delete process.env.CLOUDFLARE_ENV
    const top = read(undefined)
    return [top, ...(top.config.definedEnvironments ?? []).map(read)]
  } catch (error) {
    throw new CommandError(messageOf(error, configPath), { cause: error })
  }
}

interface SyntaxProblem {
  readonly message: string
  readonly location?: { readonly line?: number; readonly column?: number }
}

function messageOf(error: unknown, configPath: string): string {
  const { message, location } = error as SyntaxProblem
  const place = location?.line === undefined ? '' : `:${location.line}:${location.column ?? 1}`
  const text = message.split('\n').map((line) => printable(line, 400))
  return `${printable(configPath, 1000)}${place} cannot be read: ${text.join('\n')}`
}
