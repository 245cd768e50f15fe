/** Bundles the main module with `wrangler deploy --dry-run`, which bundles it as it deploys it. */
import { type ExecFileException, execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { shownPath } from '../../../text/src/files/file-error.ts'
import { inTemporaryFolder } from '../../../text/src/files/temporary-folder.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { deployableDate } from './compatibility-date.ts'
import type { ExampleCaller } from './inspector.ts'
import type { ProjectWrangler, WranglerConfig } from './wrangler.ts'

export interface BuiltModule {
  readonly path: string
  readonly contents: Buffer
}

export interface BuiltWorker {
  readonly entry: string
  readonly modules: readonly BuiltModule[]
  /** Whether `createEdgeway` is part of the bundle. */
  readonly hasEdgeway: boolean
  readonly importsAsyncHooks: boolean
  /** For whom factories build their definitions. */
  readonly caller?: ExampleCaller | undefined
}

interface Output {
  readonly stdout: string
  readonly stderr: string
}

const run = promisify(execFile)
const BUILD_TIMEOUT_MS = 120_000
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/** A text of `src/app/announce-app.ts`, which minifying keeps. */
const EDGEWAY_MARK = 'edgeway.announce-app'

/** The text is the reason why it cannot be bundled. */
export async function buildWorker(
  wrangler: ProjectWrangler,
  config: WranglerConfig & { readonly main: string },
): Promise<BuiltWorker | string> {
  return inTemporaryFolder('edgeway-doctor-', async (folder) => {
    const configPath = join(folder, 'wrangler.json')
    await writeFile(configPath, JSON.stringify(buildConfiguration(config)))
    const output = join(folder, 'output')
    const metafile = join(folder, 'meta.json')
    const args = ['deploy', '--dry-run', '--config', configPath, '--outdir', output]
    const problem = await runWrangler(wrangler, [...args, '--metafile', metafile], config, folder)
    return problem ?? (await readBuild(output, metafile, config.main))
  })
}

/** The members that decide about the bundle. Mistakes elsewhere do not prevent the examination. */
function buildConfiguration(config: WranglerConfig & { readonly main: string }) {
  const { name, main, define, alias, rules, no_bundle, build, tsconfig, base_dir } = config
  const { compatibility_date, compatibility_flags, find_additional_modules } = config
  const { jsx_factory, jsx_fragment, keep_names, preserve_file_names } = config
  const root = folderOf(config)
  const inProject = (path: string | undefined) => (path ? resolve(root, path) : undefined)
  return {
    name: name ?? 'worker',
    main,
    ...{ compatibility_date: deployableDate(compatibility_date), compatibility_flags },
    ...{ define, alias, rules, no_bundle, find_additional_modules, preserve_file_names },
    ...{ jsx_factory, jsx_fragment, keep_names },
    tsconfig: inProject(tsconfig),
    base_dir: inProject(base_dir),
    ...(build.command && {
      build: { command: build.command, cwd: resolve(root, build.cwd ?? '.') },
    }),
  }
}

const folderOf = ({ configPath }: WranglerConfig) => dirname(configPath ?? '.')

async function runWrangler(
  { program }: ProjectWrangler,
  args: readonly string[],
  config: WranglerConfig,
  folder: string,
): Promise<string | undefined> {
  try {
    await run(process.execPath, [program, ...args], {
      cwd: folderOf(config),
      timeout: BUILD_TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      env: {
        ...process.env,
        CI: '1',
        NO_COLOR: '1',
        WRANGLER_LOG: 'log',
        WRANGLER_SEND_METRICS: 'false',
        WRANGLER_HIDE_BANNER: 'true',
      },
    })
    return undefined
  } catch (error) {
    const { stderr = '', stdout = '', killed } = error as Partial<ExecFileException & Output>
    if (killed === true) return `wrangler took longer than ${BUILD_TIMEOUT_MS / 1000} seconds`
    const output = stripVTControlCharacters(`${stderr}\n${stdout}`)
    // Without an error of the bundler, for example because this Node is too old for wrangler.
    return errorIn(output, folder) ?? printable(output.trim() || (error as Error).message, 600)
  }
}

/** The first error of the output, with the place that esbuild gives two lines below it, relative to `folder`. */
function errorIn(output: string, folder: string): string | undefined {
  const lines = output.split('\n')
  const errors = lines.flatMap((line, at) => (line.includes('[ERROR]') ? at : []))
  // The number of errors stands before them.
  const at = errors.find((line) => !lines[line]?.includes('Build failed')) ?? errors[0]
  if (at === undefined) return undefined
  const line = lines.slice(at + 1, at + 4).find((line) => /:\d+:\d+:$/.test(line)) ?? ''
  const [, path, position] = /^\s*(.+?)(:\d+:\d+:)$/.exec(line) ?? []
  const place = path === undefined ? '' : `${shownPath(resolve(folder, path))}${position}`
  const text = (lines[at] ?? '').replace(/^.*\[ERROR\]/, '').replace(/[.:\s]+$/, '')
  return printable(`${place} ${text.trim()}`.trim(), 600)
}

async function readBuild(output: string, metafile: string, main: string): Promise<BuiltWorker> {
  const entries = await readdir(output, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && !/\.map$|^README\.md$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
  const modules = await Promise.all(
    files.map(async (file) => ({
      path: relative(output, file).replaceAll('\\', '/'),
      contents: await readFile(file),
    })),
  )
  const named = `${basename(main, extname(main))}.js`
  const scripts = modules.filter(({ path }) => /^[^/]+\.m?js$/.test(path))
  const entry = scripts.find(({ path }) => path === named) ?? scripts[0]
  const metadata = await readFile(metafile, 'utf8').catch(() => '{}')
  return {
    entry: entry?.path ?? named,
    modules,
    hasEdgeway: modules.some(({ contents }) => contents.includes(EDGEWAY_MARK)),
    importsAsyncHooks: importsIn(metadata).some((path) => /^(?:node:)?async_hooks$/.test(path)),
  }
}

/** The modules that the bundle imports at run time. */
function importsIn(metadata: string): readonly string[] {
  const value = parseJson(metadata)
  const outputs =
    isJsonObject(value) && isJsonObject(value.outputs) ? Object.values(value.outputs) : []
  return outputs.flatMap((file) => {
    const imports: unknown = isJsonObject(file) ? file.imports : []
    const list: readonly unknown[] = Array.isArray(imports) ? imports : []
    return list.flatMap((entry) => (isJsonObject(entry) ? String(entry.path) : []))
  })
}
