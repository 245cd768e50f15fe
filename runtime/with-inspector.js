/** Replaces `development.js` in what `npm run dev` of a new server bundles: each app has the inspector and its timeline. */
import { inspector } from '../dist/src/features/inspector/index.js'

export const developmentFeatures = () => [inspector()]
