/** The API reference: one page per export of the package, from its docstrings. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application, type ProjectReflection } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>
}

/** The source files of the entries of the package. */
function entriesOf(root: string): readonly string[] {
  const { exports }: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.values(exports).flatMap((target) =>
    typeof target === 'string'
      ? []
      : [join(root, target.types.replace('./dist/', '').replace('.d.ts', '.ts'))],
  )
}

/**
 * Writes the pages to `out` and returns the declarations.
 *
 * @throws {Error} if the source cannot be read
 */
export async function writeApiReference(root: string, out: string): Promise<ProjectReflection> {
  const markdown: Partial<PluginOptions> = {
    entryFileName: 'index',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    parametersFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    interfacePropertiesFormat: 'table',
  }
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    entryPoints: [...entriesOf(root)],
    out,
    tsconfig: join(root, 'tsconfig.build.json'),
    readme: 'none',
    name: 'API',
    logLevel: 'Error',
    // `npm run typecheck` checks the source with its own, newer compiler.
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    ...markdown,
  })
  const project = await app.convert()
  if (project === undefined) throw new Error('The declarations could not be read.')
  const main = project.getChildByName(['index'])
  if (main !== undefined) main.name = 'edgeway'
  for (const entry of project.children ?? []) entry.name = entry.name.replace(/^features\//, '')
  await app.generateOutputs(project)
  return project
}
