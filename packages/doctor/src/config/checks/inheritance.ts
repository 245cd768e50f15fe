/** Check: an environment repeats what it does not inherit. The other checks see it as if it did. */

import { quoted } from '../../../../text/src/quoted.ts'
import { detected } from '../../doctor/detected.ts'
import {
  type Check,
  isForDevelopment,
  type ObservedEnvironment,
  type ProjectObservations,
} from '../project-observations.ts'
import type { WranglerConfig } from '../wrangler.ts'
import { JURISDICTION_VARIABLE } from './jurisdictions.ts'

const VARIABLES = ['EDGEWAY_ORIGIN', JURISDICTION_VARIABLE]

/** The members of the top level that Edgeway reads and the environment lacks. */
function missingIn({ name, config }: ObservedEnvironment, top: WranglerConfig) {
  const bound = config.durable_objects.bindings.map((binding) => binding.name)
  const limits = (config.ratelimits ?? []).map((binding) => binding.name)
  const isLocal = name === undefined || isForDevelopment(name)
  return {
    objects: top.durable_objects.bindings.filter((binding) => !bound.includes(binding.name)),
    variables: Object.entries(top.vars).filter(
      ([variable, value]) =>
        VARIABLES.includes(variable) && value !== '' && !(variable in config.vars) && !isLocal,
    ),
    limits: (top.ratelimits ?? []).filter(
      (binding) => binding.name.startsWith('MCP_LIMIT_') && !limits.includes(binding.name),
    ),
  }
}

export const inheritance: Check = (environment, { environments: [top] }) => {
  if (environment.name === undefined) return []
  const { objects, variables, limits } = missingIn(environment, top.config)
  const names = [
    ...[...objects, ...limits].map(({ name }) => name),
    ...variables.map(([name]) => name),
  ]
  if (names.length === 0) return []
  return [detected('environment-not-inherited', `Missing: ${names.map(quoted).join(', ')}`)]
}

/** The project as if each environment had what it lacks, so that this is one finding. */
export function withInherited(project: ProjectObservations): ProjectObservations {
  const [top, ...others] = project.environments
  const environments = others.map((environment) => {
    const { config } = environment
    const { objects, variables, limits } = missingIn(environment, top.config)
    return {
      ...environment,
      config: {
        ...config,
        durable_objects: { bindings: [...config.durable_objects.bindings, ...objects] },
        vars: { ...Object.fromEntries(variables), ...config.vars },
        ratelimits: [...(config.ratelimits ?? []), ...limits],
      },
    }
  })
  return { ...project, environments: [top, ...environments] }
}
