/** Builds one view with Vite: a document that contains its scripts, styles and images. */
import { isBuiltin } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Plugin, Rollup } from 'vite'
import { MAX_VIEW_BYTES } from '../../../../src/protocol/apps.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath } from '../../../text/src/files/file-error.ts'
import type { ViewSource } from './view-sources.ts'

/** Some hosts show no larger one. */
const PORTABLE_BYTES = 1024 * 1024

/** They have `light-dark()`, for older ones of which the bundler would write variables that need rules of their own. */
const CSS_TARGET = ['chrome123', 'firefox120', 'safari17.5']

export interface BuiltView extends ViewSource {
  readonly html: string
  readonly bytes: number
}

export interface BuildOptions {
  /** A configuration of Vite, for plugins. */
  readonly config?: string | undefined
  onWarning(message: string): void
}

/** @throws {CommandError} that names the file and the fault */
export async function buildView(source: ViewSource, options: BuildOptions): Promise<BuiltView> {
  const { config, onWarning } = options
  const { build, viteSingleFile } = await loadVite()
  const place = shownPath(source.path)
  const failures: string[] = []
  const result = await build({
    // The same text, from wherever it is built.
    root: dirname(dirname(resolve(source.path))),
    configFile: config === undefined ? false : resolve(config),
    mode: 'production',
    logLevel: 'silent',
    publicDir: false,
    resolve: { tsconfigPaths: true },
    plugins: [documentOf(source), refuseNode(place, failures), viteSingleFile()],
    build: {
      write: false,
      target: 'es2022',
      cssTarget: CSS_TARGET,
      modulePreload: false,
      reportCompressedSize: false,
      rolldownOptions: {
        input: documentPath(source),
        onLog: (level, { code, message }) => {
          if (level !== 'warn') return
          const text = stripVTControlCharacters(message)
          if (code !== 'UNRESOLVED_IMPORT') return onWarning(text)
          failures.push(`${place}: ${text.split('\n')[0]}. Install it, or mend the path`)
        },
      },
    },
  }).catch((error: unknown) => {
    failures.push(`${place}: ${reasonOf(error as Error)}`)
  })
  if (failures[0] !== undefined) throw new CommandError(failures[0])
  const html = documentIn(result as Rollup.RollupOutput, place)
  const bytes = Buffer.byteLength(html)
  if (bytes > MAX_VIEW_BYTES) {
    throw new CommandError(
      `${place} becomes a document of ${bytes} bytes; hosts accept ${MAX_VIEW_BYTES}. Load images and data by a tool, or from an origin of csp.resourceDomains`,
    )
  }
  if (bytes > PORTABLE_BYTES) onWarning(`${place}: some hosts show no document above 1 MiB`)
  return { ...source, html, bytes }
}

/** Without the number of errors and the calls inside the bundler. */
const reasonOf = ({ message }: Error) =>
  stripVTControlCharacters(message)
    .replace(/^Build failed with .*\n/, '')
    .replace(/^ {4}at .*$/gm, '')
    .trim()

async function loadVite() {
  // With another value, which Vite would keep, React is several times as large.
  process.env.NODE_ENV = 'production'
  try {
    const { build } = await import('vite')
    const { viteSingleFile } = await import('vite-plugin-singlefile')
    return { build, viteSingleFile }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandError('Views are built by Vite: npm install --save-dev vite')
  }
}

const isDocument = ({ path }: ViewSource) => path.endsWith('.html')

/** A script has a document beside it that does not exist. */
const documentPath = (source: ViewSource) =>
  resolve(isDocument(source) ? source.path : source.path.replace(/\.\w+$/, '.html'))

/** The document of a script. `#root` is where a framework renders. */
function documentOf(source: ViewSource): Plugin {
  const path = documentPath(source)
  return {
    name: 'edgeway:document',
    enforce: 'pre',
    resolveId: (id) => (id === path && !isDocument(source) ? path : undefined),
    load: (id) =>
      id === path && !isDocument(source)
        ? `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${source.name}</title></head><body><div id="root"></div><script type="module" src="./${basename(source.path)}"></script></body></html>`
        : undefined,
  }
}

/** Vite would replace a module of Node by an empty one. */
function refuseNode(place: string, failures: string[]): Plugin {
  return {
    name: 'edgeway:browser-only',
    enforce: 'pre',
    resolveId(id, importer) {
      if (!isBuiltin(id) && !id.startsWith('cloudflare:')) return
      const from = importer === undefined ? place : shownPath(importer)
      failures.push(
        `${from} imports ${id}: a view runs in a browser. Do this in a tool, and pass what it returns in structuredContent`,
      )
      throw new Error(failures[0])
    },
  }
}

/** @throws {CommandError} for a document that refers to files beside it */
function documentIn({ output }: Rollup.RollupOutput, place: string): string {
  const document = output.find(({ fileName }) => fileName.endsWith('.html'))
  const others = output.filter((file) => file !== document).map(({ fileName }) => fileName)
  if (document?.type !== 'asset' || others.length > 0) {
    throw new CommandError(
      `${place} needs other files: ${others.join(', ')}. A view is one document, without workers and further pages`,
    )
  }
  const text = String(document.source)
  return /^<!doctype html/i.test(text.trimStart()) ? text : `<!doctype html>${text}`
}
