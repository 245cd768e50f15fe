/**
 * `npm run build`: compiles the library to JavaScript and declarations in `dist/src`, and bundles the
 * command line to `dist/cli/edgeway.js`, so that the package does not depend on its libraries.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'

const CLI = 'dist/cli/edgeway.js'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
const { status } = spawnSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
const { metafile } = await build({
  entryPoints: ['cli/edgeway.ts'],
  outfile: CLI,
  bundle: true,
  metafile: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Bundled CommonJS modules require those of Node.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
  },
})
chmodSync(CLI, 0o755)
writeFileSync('dist/cli/LICENSES.txt', licensesOf(Object.keys(metafile.inputs)))

/** The licenses of the bundled packages, which their copies must contain. */
function licensesOf(inputs: readonly string[]): string {
  const folders = inputs.flatMap(
    (path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  )
  return [...new Set(folders)]
    .map((folder) => {
      const file = [`${folder}/LICENSE`, `${folder}/license`, `${folder}/LICENSE.md`].find(
        existsSync,
      )
      const name = folder.replace('node_modules/', '')
      return `${name}\n\n${file === undefined ? 'See its package.json.' : readFileSync(file, 'utf8')}`
    })
    .join('\n---\n\n')
}
