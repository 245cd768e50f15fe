/** `landingPage()`: the page for people at `/`, and its machine-readable form. */

import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { landingRoutes } from './page/landing-page.ts'
import { checkLandingPage, type LandingPageOptions } from './page/options.ts'

export type LandingPage = Feature<'landingPage', never, object>

/**
 * What the server offers, and how to add it to clients. A route of the author at `/` of `app` replaces it.
 *
 * @throws {TypeError} for an invalid option
 */
export function landingPage(options: LandingPageOptions = {}): LandingPage {
  checkLandingPage(options)
  return createFeature('landingPage', (app) => createParts(app, options))
}

function createParts(app: AppContext, options: LandingPageOptions): FeatureParts<never> {
  return {
    routes: () =>
      landingRoutes(options, {
        info: app.info,
        patterns: app.patterns,
        queryParams: app.queryParams,
        auth: app.auth,
        gate: app.gate,
        definitionsOf: (env) => app.deploymentOf(env).definitions,
        servicesOf: app.servicesOf,
        adminScope: app.ownResource?.scope,
        origins: app.origins,
        report: app.report,
      }),
  }
}
