/** Features that every app has. The build condition `edgeway-development` replaces this module by `with-inspector.js`. */
export const developmentFeatures = () => []
