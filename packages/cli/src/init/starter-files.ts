/**
 * The files of a new server. They are layers of `starter/`, each a folder: a file of a later layer replaces
 * that of an earlier one. `starter/` is beside both `cli/` and `dist/`.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import packageJson from '../../../../package.json' with { type: 'json' }
import { PACKAGE_ROOT } from '../../../text/src/package-root.ts'
import { addViews, type ViewsChoice } from './add-views.ts'
import type { ApiDescription } from './api-description.ts'
import type { AuthChoice } from './auth-choice.ts'

/** Contents by path. */
export type Files = Map<string, string | Uint8Array>

export interface Starter {
  readonly name: string
  readonly auth: AuthChoice
  readonly description: StarterDescription | undefined
  /** How the view of `roll_dice` is written. Default: it has none. */
  readonly views?: ViewsChoice | undefined
  /** The version or file of the package `edgeway`. */
  readonly edgeway: string
}

type StarterDescription = Pick<ApiDescription, 'text' | 'needsKey' | 'baseUrl'>

const LAYERS = join(PACKAGE_ROOT, 'starter')

/** The name of the server in the layers, each of which is a working part of a server. */
const PLACEHOLDER = 'edgeway-starter'

/** The URL of the service in the layers. With a description it is that of its API. */
const SERVICE_URL = 'https://api.example.com'

/** Files whose text is added to that of the earlier layers, with what is between both. */
const CONCATENATED: Readonly<Record<string, string>> = {
  '.dev.vars.example': '\n',
  'deploy.md': '\n',
  'files.md': '',
  'rules.md': '',
}

/** Concatenated files that are parts of others, with the place of each. */
const PARTS = [
  ['deploy.md', '<deploy>', ['README.md', 'AGENTS.md']],
  ['files.md', '<files>', ['AGENTS.md']],
  ['rules.md', '<rules>', ['AGENTS.md']],
] as const

/** The tests of a new server, to which each layer adds its own. */
const TESTS = 'test/tools.test.ts'

/** In each layer: what people read of its secrets and bindings when they deploy the server by a button. */
const BINDINGS = 'bindings.json'

/** A random passphrase of 144 bits. */
const createPassphrase = () => randomBytes(18).toString('base64url')

export function starterFiles({ name, auth, description, views, edgeway }: Starter): Files {
  const texts = new Map<string, string>()
  const bindings: Record<string, string> = {}
  for (const layer of layersOf(auth, description, views)) {
    for (const [path, text] of filesOf(layer)) {
      if (path === BINDINGS) {
        Object.assign(bindings, JSON.parse(text.replaceAll(PLACEHOLDER, name)))
        continue
      }
      const earlier = texts.get(path)
      texts.set(path, earlier === undefined ? text : combined(path, earlier, text))
    }
  }
  const change = (path: string, by: (text: string) => string) => {
    texts.set(path, by(texts.get(path) ?? ''))
  }
  for (const path of texts.keys()) change(path, (text) => text.replaceAll(PLACEHOLDER, name))
  for (const [part, place, paths] of PARTS) {
    const lines = texts.get(part) ?? ''
    texts.delete(part)
    for (const path of paths) change(path, (text) => text.replace(`${place}\n`, () => lines))
  }
  if (views !== undefined) addViews(texts, views)
  change('package.json', (text) => withBindings(withVersions(text, edgeway), bindings))
  const secrets = texts.get('.dev.vars.example')
  if (secrets !== undefined) {
    texts.set('.dev.vars', secrets.replaceAll('<generated>', createPassphrase))
    change('.dev.vars.example', (text) => text.replaceAll('<generated>', 'replace-me'))
    change('wrangler.jsonc', (text) => withSecrets(text, secrets))
  }
  if (description !== undefined) {
    texts.set('src/description.json', description.text)
    if (auth === 'api-key') {
      change('src/auth.ts', (text) => text.replace(SERVICE_URL, () => description.baseUrl))
    }
  }
  return texts
}

function layersOf(
  auth: AuthChoice,
  description: StarterDescription | undefined,
  views: ViewsChoice | undefined,
): string[] {
  return [
    'base',
    ...(auth === 'open' ? ['open'] : ['protected', `auth/${auth}`]),
    ...(views === undefined ? [] : ['views/base', `views/${views}`]),
    ...(description === undefined ? [] : ['openapi', ...keyLayersOf(auth, description)]),
  ]
}

/** Whose key the tools of an API send: that of the caller where the server has it, or one for all. */
function keyLayersOf(auth: AuthChoice, { needsKey }: StarterDescription): string[] {
  if (!needsKey) return []
  if (auth === 'api-key') return ['openapi-caller-key']
  return ['openapi-key', auth === 'open' ? 'openapi-key-open' : 'openapi-key-signed-in']
}

function combined(path: string, earlier: string, later: string): string {
  if (path === TESTS) return withTests(earlier, later)
  const between = CONCATENATED[path]
  return between === undefined ? later : `${earlier}${between}${later}`
}

const IMPORT = /^import (\{ )?(.+?)( \})? from ('.+'\n)/gm

/** Adds the tests of a later layer. Imports of one module become one. */
function withTests(earlier: string, later: string): string {
  const imports = new Map<string, Set<string>>()
  const tests = [earlier, later].map((text) =>
    text.replace(IMPORT, (_, open = '', names: string, close = '', source: string) => {
      // A default import has no braces.
      const form = `import ${open}…${close} from ${source}`
      const known = imports.get(form) ?? new Set()
      imports.set(form, known)
      for (const name of names.split(', ')) known.add(name)
      return ''
    }),
  )
  // Packages first.
  const moduleOf = (form: string) => form.replace(/^.* from '/, '').replace('.', '~')
  const lines = [...imports]
    .sort(([a], [b]) => (moduleOf(a) < moduleOf(b) ? -1 : 1))
    .map(([form, names]) => form.replace('…', [...names].sort().join(', ')))
  return [lines.join(''), ...tests.map((text) => text.trimStart())].join('\n')
}

/** npm leaves files such as `.gitignore` out of packages, so a name begins with `_` for a dot. */
function filesOf(layer: string): (readonly [path: string, text: string])[] {
  const folder = join(LAYERS, layer)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [
      relative(folder, file).replaceAll('\\', '/').replace(/^_/, '.'),
      readFileSync(file, 'utf8'),
    ])
}

/** The versions with which this version of Edgeway is tested. */
function withVersions(text: string, edgeway: string): string {
  const known: Readonly<Record<string, string>> = { ...packageJson.devDependencies, edgeway }
  const manifest = JSON.parse(text)
  for (const group of ['dependencies', 'devDependencies']) {
    for (const name of Object.keys(manifest[group])) manifest[group][name] = known[name]
  }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

/** @see https://developers.cloudflare.com/workers/platform/deploy-buttons/#best-practices */
function withBindings(text: string, bindings: Readonly<Record<string, string>>): string {
  const described = Object.entries(bindings).map(([name, description]) => [name, { description }])
  const manifest = { ...JSON.parse(text), cloudflare: { bindings: Object.fromEntries(described) } }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

/** Names the secrets in the configuration: `wrangler` warns when one is missing, and types it. */
function withSecrets(text: string, example: string): string {
  const names = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name)
  return text.replace(
    '  "observability"',
    `  "secrets": { "required": ${JSON.stringify(names).replaceAll(',', ', ')} },\n  "observability"`,
  )
}
