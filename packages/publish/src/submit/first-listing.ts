/** `edgeway submit init`: a first `directory.json`, with what the definition says and what remains to fill in. */
import { lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { Tool } from '../../../../src/protocol/primitives.ts'
import type { ConnectOptions } from '../../../doctor/src/definition/connect-server.ts'
import type { ReadProject } from '../../../doctor/src/definition/read-project.ts'
import type { Surface } from '../../../doctor/src/definition/surface.ts'
import { isPrivateHost } from '../../../doctor/src/doctor/http/addresses.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import type { Members } from '../../../text/src/json/members.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { endpointOf } from './endpoint.ts'
import { ACKNOWLEDGEMENTS } from './listing.ts'
import { pluginName } from './plugin-files.ts'
import { readRunningServer } from './source.ts'

/** What the definition of a server says about it. */
export interface FirstSource {
  readonly surface: Surface
  readonly hasSignIn: boolean
  /** Empty where it is not known. */
  readonly url: string
  /** The folder of the project. */
  readonly root: string
}

/**
 * @param file where it is written
 * @param readSource called when the file can be written: it takes seconds
 * @throws {CommandError} when the file exists, and when the definition cannot be read
 */
export async function writeFirstListing(
  file: string,
  readSource: () => Promise<FirstSource>,
): Promise<void> {
  const exists = new CommandError(`${printable(file, 1000)} exists. Nothing was written.`)
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw exists
  const listing = firstListing(await readSource(), dirname(file))
  const text = `${JSON.stringify(listing, undefined, 2)}\n`
  try {
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw exists
    throw new CommandError(
      `${printable(file, 1000)} cannot be written: ${(error as Error).message}`,
    )
  }
}

/** @throws {CommandError} when its definition depends on the caller */
export function firstSourceOf(project: ReadProject): FirstSource {
  const { app, surface } = project.apps[0]
  const root = dirname(resolve(project.config))
  return { surface, hasSignIn: app.auth !== undefined, url: knownUrl(project), root }
}

/** @param address of a running server, which may be one of development */
export async function firstSourceAt(
  address: string,
  root: string,
  options: ConnectOptions,
): Promise<FirstSource> {
  const { surface, hasSignIn } = await readRunningServer(address, options)
  const { protocol } = new URL(address)
  const isPublic = protocol === 'https:' && !isPrivateHost(new URL(address))
  return { surface, hasSignIn, url: isPublic ? address : '', root }
}

/** Empty texts are to be filled in: `edgeway submit` names those that a directory requires. */
export function firstListing({ surface, hasSignIn, url, root }: FirstSource, folder: string) {
  const { info, tools } = surface
  const manifest = readManifest(root)
  const tool = tools[0]?.name ?? ''
  return {
    $schema: schemaPath(folder, root),
    url,
    name: pluginName({}, info.name),
    title: info.title ?? info.name,
    shortDescription: (info.description ?? '').length <= 30 ? (info.description ?? '') : '',
    description: info.description ?? '',
    website: info.websiteUrl ?? '',
    documentation: '',
    support: '',
    privacy: '',
    terms: '',
    ...(typeof manifest.license === 'string' ? {} : { license: '' }),
    company: { name: '', contact: { name: '', email: '' } },
    logo: 'logo.png',
    starterPrompts: [],
    cases: { positive: five(() => emptyCase([tool])), negative: three(() => emptyCase([])) },
    justifications: Object.fromEntries(tools.map(justificationOf)),
    ...(hasSignIn ? { testAccount: '' } : {}),
    demoRecording: '',
    releaseNotes: `The first version, ${info.version}.`,
    claude: {
      oneLiner: info.description ?? '',
      categories: [],
      useCases: [],
      dataHandling: { source: 'own', health: false, sponsored: false },
      acknowledgements: Object.fromEntries(ACKNOWLEDGEMENTS.map((name) => [name, false])),
      tested: { inspector: false, customConnector: false },
    },
    openai: { category: '', capabilities: [], countries: [], commerce: false },
  }
}

const five = <Value>(create: () => Value) => Array.from({ length: 5 }, create)
const three = <Value>(create: () => Value) => Array.from({ length: 3 }, create)

const emptyCase = (tools: readonly string[]) => ({
  description: '',
  prompt: '',
  ...(tools.length === 0 ? {} : { tools }),
  expected: '',
})

/** The hints that the tool has, so that the author sees what to justify. */
function justificationOf({ name }: Tool) {
  return [name, { readOnly: '', openWorld: '', destructive: '' }] as const
}

function readManifest(folder: string): Members {
  try {
    const value = parseJson(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isJsonObject(value) ? value : {}
  } catch {
    // A project may have none.
    return {}
  }
}

function knownUrl(project: ReadProject): string {
  try {
    const { apps, environment } = project
    return endpointOf(
      apps.map(({ app }) => app),
      environment,
      {},
    ).url
  } catch {
    return ''
  }
}

const schemaPath = (folder: string, root: string) =>
  `./${relative(folder, join(root, 'node_modules/edgeway/dist/cli/directory.schema.json')).replaceAll('\\', '/')}`
