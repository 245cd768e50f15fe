/** Replaces `development.js` in what `edgeway dev` bundles: every app has the inspector, which includes the timeline. */
import { inspector } from '../../dist/packages/inspector/src/inspector/index.js'

export const developmentFeatures = () => [inspector()]
