/** The version of the package. The bundle contains it. */
import packageJson from '../../../package.json' with { type: 'json' }

export const { version } = packageJson
