/** Builds the views of a folder, and writes the module that has their documents. */
import { dirname, join } from 'node:path'
import { type BuildOptions, type BuiltView, buildView } from './build-view.ts'
import { viewSources } from './view-sources.ts'
import { viewsModule } from './views-module.ts'
import { writeGenerated } from './write-generated.ts'

interface BuiltViews {
  readonly file: string
  readonly isNew: boolean
  readonly views: readonly BuiltView[]
}

/**
 * @param onBuilt is called before the file is written
 * @throws {CommandError} and nothing is written
 */
export async function buildViews(
  folder: string,
  options: BuildOptions,
  onBuilt?: (views: readonly BuiltView[]) => void,
): Promise<BuiltViews> {
  const views = await Promise.all(viewSources(folder).map((source) => buildView(source, options)))
  onBuilt?.(views)
  const file = join(dirname(folder), 'views.generated.ts')
  return { file, views, isNew: writeGenerated(file, viewsModule(views)) }
}
