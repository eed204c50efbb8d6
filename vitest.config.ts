import { RARE, suite } from './test/support/suite.ts';

export default suite(RARE);
