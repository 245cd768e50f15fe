/** The entry of a server that is no Worker yet: the module to serve, or a new one that serves its factory. */

import { posix } from 'node:path'
import type { NodePath } from '@babel/traverse'
import { isJsonObject } from '../../../src/protocol/json.ts'
import { OBJECTS_BINDING, OBJECTS_CLASS } from '../../doctor/src/config/object-classes.ts'
import { propertyOf } from './decisions/agents.ts'
import { connectionsOf } from './decisions/connections.ts'
import { resolveFile } from './module-graph.ts'
import type { FileEdit } from './plan.ts'
import { originOf, type SourceFile, TEST_FILE, textOf, visit } from './source-file.ts'

export interface NodeEntry {
  /** The files whose imports are those of the server. */
  readonly mains: readonly string[]
  /** The main module of the new Worker. */
  readonly main: string
  /** The new main module, where the server comes from a factory in a file of its own. */
  readonly module?: FileEdit
}

/** @returns undefined where several files serve, or none does */
export function findNodeEntry(
  files: readonly SourceFile[],
  sources: ReadonlySet<string>,
  packageName: string,
): NodeEntry | undefined {
  const serving = files
    .filter(({ path }) => !TEST_FILE.test(path))
    .map((file) => ({
      file,
      connections: connectionsOf(file).filter(({ transport }) => transport === 'server'),
    }))
    .filter(({ connections }) => connections.length > 0)
  const factories = serving.flatMap(({ file, connections }) =>
    connections.map(({ server }) => {
      if (server.kind !== 'factory') return undefined
      const module = resolveFile(posix.join(posix.dirname(file.path), server.module), sources)
      return module === undefined ? undefined : `${module}\0${server.name}`
    }),
  )
  const [only, ...others] = [...new Set(factories)]
  if (only !== undefined && others.length === 0) {
    const [path = '', name = ''] = only.split('\0')
    const factory = files.find((file) => file.path === path)
    const isFree = factory !== undefined && !serving.some(({ file }) => file === factory)
    if (isFree) return newEntry(factory, name, sources, packageName)
  }
  const [first, ...more] = serving
  if (first === undefined || more.length > 0) return undefined
  return { mains: [first.file.path], main: first.file.path }
}

function newEntry(
  factory: SourceFile,
  name: string,
  sources: ReadonlySet<string>,
  packageName: string,
): NodeEntry | undefined {
  const extension = /\.[^.]+$/.exec(factory.path)?.[0].replace('x', '') ?? '.ts'
  const file = posix.join(posix.dirname(factory.path), `worker${extension}`)
  if (sources.has(file)) return undefined
  const module = `./${posix.basename(factory.path).replace(/\.[cm]?[jt]sx?$/, compiledExtension(factory.path))}`
  const { eol } = factory
  const audience = serverName(factory) ?? packageName
  const imported = name === 'default' ? 'createServer' : `{ ${name} }`
  const lines = [
    `import { createEdgeway } from 'edgeway'`,
    `import { changes } from 'edgeway/changes'`,
    `import { sessions } from 'edgeway/sessions'`,
    `import ${imported} from ${quoted(module)}`,
    '',
    `const edgeway = createEdgeway(() => ${name === 'default' ? 'createServer' : name}(), {`,
    `  audience: ${quoted(audience)},`,
    '  features: [sessions(), changes()],',
    '})',
    'export default edgeway',
    `export class ${OBJECTS_CLASS} extends edgeway.Objects {}`,
    '',
  ]
  return { mains: [factory.path], main: file, module: { file, after: lines.join(eol) } }
}

/** Resolves with every resolution of TypeScript. */
const compiledExtension = (path: string): string => (/\.m[jt]s$/.test(path) ? '.mjs' : '.js')

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

/** The name that a file gives to its server, where it is written out. */
function serverName(file: SourceFile): string | undefined {
  let name: string | undefined
  visit(file, {
    NewExpression(path) {
      const origin = originOf(path.get('callee') as NodePath)
      if (origin?.name !== 'McpServer' && origin?.name !== 'Server') return
      const property = propertyOf(path.node.arguments[0], 'name')
      name ??= property?.type === 'ObjectProperty' ? textOf(property.value) : undefined
    },
  })
  return name
}

/** The name of the package. */
export function packageNameOf(value: unknown): string {
  const { name } = isJsonObject(value) ? value : {}
  return typeof name === 'string' ? name : 'server'
}

/** As the guide has it. */
const COMPATIBILITY_DATE = '2026-11-01'
const FLAGS = ['enable_request_signal', 'global_fetch_strictly_public', 'nodejs_compat']
const CONFIGURATION = 'wrangler.jsonc'

/** The configuration of the new Worker. */
export function newConfiguration(main: string, packageName: string): FileEdit {
  const value = {
    $schema: 'node_modules/wrangler/config-schema.json',
    name: workerName(packageName),
    main,
    compatibility_date: COMPATIBILITY_DATE,
    compatibility_flags: FLAGS,
    durable_objects: { bindings: [{ name: OBJECTS_BINDING, class_name: OBJECTS_CLASS }] },
    migrations: [{ tag: 'v1', new_sqlite_classes: [OBJECTS_CLASS] }],
  }
  return { file: CONFIGURATION, after: `${JSON.stringify(value, undefined, 2)}\n` }
}

/** A label of a host name. */
function workerName(name: string): string {
  const label = name
    .replace(/^@[^/]*\//, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return label === '' ? 'server' : label
}
