/**
 * `npm run build`: builds the page of the inspector, compiles the library to JavaScript and declarations in
 * `dist/src`, and bundles the command line to `dist/cli/edgeway.js`, and what it loads only for some commands to files
 * beside it, so that the package does not depend on its libraries; the schema of `directory.json` is there too. `dist`
 * is replaced at the end, so that several builds at once do not disturb each other.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { directorySchemaText } from '../packages/publish/src/submit/directory-schema.ts'
import { buildInspectorPage } from './support/inspector-page.ts'

const OUT = `dist-${process.pid}`
const CLI = `${OUT}/cli/edgeway.js`

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
process.on('exit', () => rmSync(OUT, { recursive: true, force: true }))
// Without a listener, a signal would end the process without that of `exit`.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
const pageInputs = await buildInspectorPage()
// Several checkers would check shared types several times.
const options = ['-p', 'tsconfig.build.json', '--outDir', OUT, '--checkers', '1']
const { status } = spawnSync('tsc', options, { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
const { metafile } = await build({
  entryPoints: ['packages/cli/src/edgeway.ts'],
  outdir: dirname(CLI),
  bundle: true,
  // What few commands load, such as a parser or the ranks of the tokenizer, does not slow the start of the others.
  splitting: true,
  chunkNames: '[name]-[hash]',
  // Some libraries have a main module that loads its parts in a way that cannot be bundled.
  mainFields: ['module', 'main'],
  metafile: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Of the project, whose views it builds and shows.
  external: ['vite', 'playwright-core'],
  // Bundled CommonJS modules require those of Node.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
  },
})
chmodSync(CLI, 0o755)
writeFileSync(`${OUT}/cli/directory.schema.json`, directorySchemaText())
writeFileSync(`${OUT}/cli/LICENSES.txt`, licensesOf(Object.keys(metafile.inputs)))
writeFileSync(
  `${OUT}/packages/inspector/src/inspector/generated/LICENSES.txt`,
  licensesOf(pageInputs),
)
replaceDist()

/** A folder cannot be renamed onto one that is not empty, so the former `dist` is moved away first. */
function replaceDist(): void {
  const former = `${OUT}-former`
  for (let attempt = 0; ; attempt++) {
    try {
      rmSync(former, { recursive: true, force: true })
      if (existsSync('dist')) renameSync('dist', former)
      // Next to each other, because a run that is killed between them leaves no `dist`.
      renameSync(OUT, 'dist')
      rmSync(former, { recursive: true, force: true })
      return
    } catch (error) {
      // Another build has replaced it in the meantime.
      if (attempt === 10) throw error
    }
  }
}

/**
 * The licenses of the bundled packages, which their copies must contain.
 *
 * @throws {Error} for a package without a file of its license
 */
function licensesOf(inputs: readonly string[]): string {
  const folders = inputs.flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  )
  return [...new Set(folders)]
    .map((folder) => {
      const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying)\b/i.test(file))
      const name = folder.replace(/^.*node_modules\//, '')
      if (files.length === 0) throw new Error(`${folder} has no file of its license`)
      return `${name}\n\n${files.map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('\n\n')}`
    })
    .join('\n---\n\n')
}
