/** The features that every app has. The build condition `edgeway-development` replaces this module with `with-inspector.js`. */
export const developmentFeatures = () => []
