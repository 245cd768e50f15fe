/** `health()`: `GET /health` says whether the Worker answers, and with `?deep` whether its objects do. */

import { createCheckHealth } from '../../feature/check-health.ts'
import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { isJsonObject } from '../../protocol/json.ts'
import { findHealthPath, healthRoutes } from './health-endpoint.ts'

export interface HealthOptions {
  /**
   * A route of the author at this path of `app` replaces it. Default `/health`, unless a path of the endpoint
   * matches it.
   */
  readonly path?: string
}

export type Health = Feature<'health'>

/** @throws {TypeError} from `createEdgeway`, for a path that the server has */
export function health(options: HealthOptions = {}): Health {
  const { path } = options
  if (!isJsonObject(options)) throw new TypeError('health() takes { path }')
  return createFeature('health', (app) => createParts(app, path))
}

function createParts(app: AppContext, path: string | undefined): FeatureParts {
  return { routes: () => healthRoutes(findHealthPath(path, app.isFree), createCheckHealth(app)) }
}
