/**
 * The rules by which numbers come about, in words for the readers of a page: a sentence or two
 * each, in every locale, by the names that tests cite.
 */
import type { Locale } from '../../contract/endpoints.ts';

export const RULES = {
  C1: {
    en: "A current value is the mean of the hour up to the sensor's newest value, not a single reading; where a station has several sensors, it is the mean over them. Rain is the sum of that hour.",
    ru: 'Текущее значение — среднее за час до последнего измерения датчика, а не отдельное показание; если датчиков на станции несколько, берётся среднее по ним. Осадки — сумма за этот час.',
    hy: 'Ընթացիկ արժեքը տվիչի վերջին չափմանը նախորդող մեկ ժամի միջինն է, ոչ թե առանձին ցուցմունք. եթե կայանն ունի մի քանի տվիչ, վերցվում է դրանց միջինը։ Տեղումներն այդ ժամի գումարն են։',
  },
  C4: {
    en: 'The current value of a city or district is the mean over its online stations, each counted once. It is made every five minutes, and is no longer shown after 30 minutes without a new one.',
    ru: 'Текущее значение города или района — среднее по его работающим станциям; каждая учитывается один раз. Оно рассчитывается каждые пять минут, а через 30 минут без обновления больше не показывается.',
    hy: 'Քաղաքի կամ շրջանի ընթացիկ արժեքը նրա գործող կայանների միջինն է, և յուրաքանչյուրը հաշվվում է մեկ անգամ։ Այն հաշվարկվում է հինգ րոպեն մեկ և այլևս չի ցուցադրվում, եթե 30 րոպե չի թարմացվել։',
  },
  C9: {
    en: 'The particles of a station are suspect where its sensors of one kind differ by more than 70 % and 5 µg/m³ in an hour, or by more than 40 % and 3 µg/m³ over 24 hours; where PM2.5 and PM10 are the very same for 12 hours or more, PM2.5 alone for 24, or PM2.5 from 0 to 0.5 µg/m³ for 48; or where PM2.5 is above 30 µg/m³ and more than 3 times the median of its neighbours within 10 km, while at most one of them has half as much: in at least 6 hours, with at most 24 between two of them. Its operator may say so too, and may vouch for a station beside a chimney, which nothing tells from a fault. They are struck through, and left out of its city and district, but those far above the neighbours only once they are 24 hours, since smoke passes and a fault lasts.',
    ru: 'Частицы станции сомнительны, если её датчики одного вида расходятся за час более чем на 70 % и 5 мкг/м³ или за 24 часа более чем на 40 % и 3 мкг/м³; если PM2.5 и PM10 не меняются 12 часов и дольше, или только PM2.5 — 24 часа, или PM2.5 остаются от 0 до 0,5 мкг/м³ 48 часов; или если PM2.5 выше 30 мкг/м³ и более чем в 3 раза выше медианы соседей в пределах 10 км, а хотя бы половина этого значения — не более чем у одного из них: не менее 6 часов, с перерывами не более 24 часов. Так может решить и её оператор; он может и поручиться за станцию рядом с трубой, которую не отличить от неисправности. Они зачёркнуты и не входят в значения города и района, но намного более высокие, чем у соседей, — только когда таких часов 24: дым проходит, а неисправность остаётся.',
    hy: 'Կայանի մասնիկները կասկածելի են, եթե դրա նույն տեսակի տվիչները մեկ ժամում տարբերվում են ավելի քան 70 %-ով և 5 մկգ/մ³-ով կամ 24 ժամում՝ ավելի քան 40 %-ով և 3 մկգ/մ³-ով, եթե PM2.5-ը և PM10-ը 12 ժամ և ավելի, միայն PM2.5-ը 24 ժամ կամ 0-ից 0,5 մկգ/մ³ PM2.5-ը 48 ժամ չեն փոխվում, կամ եթե PM2.5-ը 30 մկգ/մ³-ից բարձր է և ավելի քան 3 անգամ գերազանցում է 10 կմ-ի սահմաններում հարևանների միջնարժեքը, իսկ դրա կեսը կամ ավելին ունի հարևաններից առավելագույնը մեկը՝ առնվազն 6 ժամ, առավելագույնը 24 ժամ ընդմիջումներով։ Այդպես կարող է որոշել նաև կայանի օպերատորը. նա կարող է նաև երաշխավորել ծխնելույզի կողքին գտնվող կայանի համար, քանի որ ծխնելույզը խափանումից չի տարբերվում։ Դրանք ջնջագծված են և չեն հաշվվում քաղաքի ու շրջանի արժեքներում, իսկ հարևաններից շատ ավելի բարձրերը՝ միայն երբ այդպիսի ժամերը 24 են, քանի որ ծուխն անցնում է, իսկ խափանումը մնում։',
  },
  A1: {
    en: 'An hour of a sensor is the mean of its readings in that hour.',
    ru: 'Часовое значение датчика — среднее его показаний за этот час.',
    hy: 'Տվիչի ժամային արժեքն այդ ժամվա նրա ցուցմունքների միջինն է։',
  },
  A2: {
    en: "An hour of a station is the mean of its sensors' hours, each sensor counted once, however often it reports. Only sensors that stood there for the whole hour take part.",
    ru: 'Часовое значение станции — среднее часовых значений её датчиков; каждый датчик учитывается один раз, как бы часто он ни передавал данные. Участвуют только датчики, которые стояли там весь час.',
    hy: 'Կայանի ժամային արժեքը նրա տվիչների ժամային արժեքների միջինն է. յուրաքանչյուր տվիչ հաշվվում է մեկ անգամ՝ անկախ նրանից, թե որքան հաճախ է տվյալներ ուղարկում։ Հաշվի են առնվում միայն այն տվիչները, որոնք ամբողջ ժամն այնտեղ են եղել։',
  },
  A3: {
    en: 'An hour of a city or district is the mean of the hours of its stations, each station counted once. Temperature, humidity and pressure are left out where they look unreliable, and particles where they are suspect (far above the neighbours: once they are for 24 hours).',
    ru: 'Часовое значение города или района — среднее часовых значений его станций; каждая станция учитывается один раз. Недостоверные температура, влажность и давление и сомнительные частицы (намного выше, чем у соседей, — когда таких часов 24) не учитываются.',
    hy: 'Քաղաքի կամ շրջանի ժամային արժեքը նրա կայանների ժամային արժեքների միջինն է, և յուրաքանչյուր կայան հաշվվում է մեկ անգամ։ Անվստահելի ջերմաստիճանը, խոնավությունը և ճնշումը, ինչպես և կասկածելի մասնիկները հաշվի չեն առնվում։',
  },
  A4: {
    en: 'A day is the mean of its hours; a month is the mean of its hours too, not of its days. The number of readings gives an hour no more weight.',
    ru: 'Значение за сутки — среднее часовых значений; за месяц — тоже среднее часовых, а не суточных. Число показаний не прибавляет часу веса.',
    hy: 'Օրվա արժեքը նրա ժամերի միջինն է, ամսվանը՝ նույնպես ժամերի, ոչ թե օրերի միջինը։ Ցուցմունքների քանակը ժամին լրացուցիչ կշիռ չի տալիս։',
  },
  A6: {
    en: "Rain is added up: an hour is the sum of a sensor's readings, averaged over sensors and stations; a day or month is the sum of its hours.",
    ru: 'Осадки суммируются: за час — сумма показаний датчика, усреднённая по датчикам и станциям; за сутки или месяц — сумма часов.',
    hy: 'Տեղումները գումարվում են. ժամվա արժեքը տվիչի ցուցմունքների գումարն է՝ միջինացված ըստ տվիչների և կայանների, օրվանը կամ ամսվանը՝ ժամերի գումարը։',
  },
  A7: {
    en: 'Wind directions are averaged as vectors: the mean of 350° and 10° is 0°, not 180°. Where they cancel out, and in a calm, there is no direction.',
    ru: 'Направления ветра усредняются как векторы: среднее 350° и 10° — это 0°, а не 180°. Если они взаимно уравновешиваются, а также в штиль, направления нет.',
    hy: 'Քամու ուղղությունները միջինացվում են որպես վեկտորներ. 350°-ի և 10°-ի միջինը 0° է, ոչ թե 180°։ Եթե դրանք միմյանց հավասարակշռում են, ինչպես նաև անդորրի ժամանակ, ուղղություն չկա։',
  },
  S5: {
    en: 'Many sensors overstate PM2.5 in humid air. Where the network names a formula, the mean of the hour is corrected by the humidity that these sensors measure, or else the station; the uncorrected value is given beside it.',
    ru: 'Многие датчики завышают PM2.5 во влажном воздухе. Если для датчика задана формула, среднее за час исправляется по влажности, которую измеряют сами эти датчики, а если её нет — по влажности станции; неисправленное значение приводится рядом.',
    hy: 'Շատ տվիչներ խոնավ օդում գերագնահատում են PM2.5-ը։ Եթե տվիչի համար նշված է բանաձև, ժամային միջինը ճշգրտվում է այդ տվիչների չափած խոնավությամբ, իսկ եթե այն չկա՝ կայանի խոնավությամբ. չճշգրտված արժեքը տրվում է կողքին։',
  },
  aqi: {
    en: 'The air quality index of the US EPA (May 2024), of PM2.5 and PM10 only: the larger of the two, computed from the values as shown. Its scale ends at 500. It says nothing about gases, however high they are.',
    ru: 'Индекс качества воздуха Агентства по охране окружающей среды США (май 2024 г.), только по PM2.5 и PM10: больший из двух, рассчитанный по показанным значениям. Его шкала кончается на 500. О газах он ничего не говорит, как бы высоки ни были их концентрации.',
    hy: 'ԱՄՆ Շրջակա միջավայրի պահպանության գործակալության օդի որակի ինդեքսը (2024 թ. մայիս)՝ միայն ըստ PM2.5-ի և PM10-ի. երկուսից մեծը՝ հաշվարկված ցուցադրված արժեքներից։ Դրա սանդղակն ավարտվում է 500-ով։ Գազերի մասին այն ոչինչ չի ասում, որքան էլ բարձր լինի դրանց պարունակությունը։',
  },
  eaqi: {
    en: 'The European air quality index (bands of 2024): the mean of each of PM2.5, PM10, O₃, NO₂ and SO₂ in the last closed hour, rounded to whole µg/m³, has a band, and the worst of them is the index. It is a word, not a number. Beside it stand the pollutant that makes it and its rounded mean. A day or month is rated by its means, with the same bands. Suspect particles are left out.',
    ru: 'Европейский индекс качества воздуха (уровни 2024 г.): каждое среднее PM2.5, PM10, O₃, NO₂ и SO₂ за последний завершённый час, округлённое до целых мкг/м³, относится к одному из уровней, и худший из них — индекс. Это слово, а не число; рядом указано вещество, от которого оно зависит, и его округлённое среднее. Сутки и месяц оцениваются по их средним, по тем же уровням. Сомнительные частицы не учитываются.',
    hy: 'Օդի որակի եվրոպական ինդեքսը (2024 թ. մակարդակներ)՝ վերջին ավարտված ժամի PM2.5-ի, PM10-ի, O₃-ի, NO₂-ի և SO₂-ի միջիններից յուրաքանչյուրը, կլորացված մինչև ամբողջ մկգ/մ³, ունի իր մակարդակը, և դրանցից վատագույնն ինդեքսն է։ Այն բառ է, ոչ թե թիվ. կողքին նշված են այն որոշող նյութը և դրա կլորացված միջինը։ Օրն ու ամիսը գնահատվում են ըստ իրենց միջինների՝ նույն մակարդակներով։ Կասկածելի մասնիկները չեն հաշվվում։',
  },
  X2: {
    en: 'NowCast is the US EPA’s mean for air that changes fast: of the last 12 closed hours, the newest count most.',
    ru: 'NowCast — среднее US EPA для быстро меняющегося воздуха: последние 12 завершённых часов, и чем новее час, тем больше его вес.',
    hy: 'NowCast-ը US EPA-ի միջինն է արագ փոփոխվող օդի համար. վերջին 12 ավարտված ժամերը, որոնցից նորագույնները կշռում են ամենից շատ։',
  },
  trend: {
    en: 'Rising or falling: the mean PM2.5 of the last closed hour differs from the mean of the three hours before it by at least 3 µg/m³ and at least 10 %, or six hours in a row go one way, by at least 1 µg/m³ and 10 % in all. Otherwise it is steady.',
    ru: 'Растёт или снижается: среднее PM2.5 за последний завершённый час отличается от среднего за три предыдущих часа не менее чем на 3 мкг/м³ и не менее чем на 10 % или шесть часов подряд идут в одну сторону, в сумме не менее чем на 1 мкг/м³ и 10 %. Иначе изменений нет.',
    hy: 'Աճում կամ նվազում է, եթե վերջին ավարտված ժամի PM2.5-ի միջինը նախորդ երեք ժամերի միջինից տարբերվում է առնվազն 3 մկգ/մ³-ով և առնվազն 10 %-ով, կամ վեց ժամ անընդմեջ փոխվում է նույն ուղղությամբ՝ ընդամենը առնվազն 1 մկգ/մ³-ով և 10 %-ով։ Այլ դեպքում կայուն է։',
  },
  W1: {
    en: 'The 24-hour mean covers the last 24 closed hours, of which at least 18 are needed.',
    ru: 'Среднее за 24 часа берётся по последним 24 завершённым часам; из них нужны хотя бы 18.',
    hy: '24-ժամյա միջինը վերջին 24 ավարտված ժամերինն է, որոնցից անհրաժեշտ է առնվազն 18-ը։',
  },
  W2: {
    en: 'The annual mean covers the last 365 completed days. Exceedance days are the days among them with a mean PM2.5 above 15 µg/m³, the daily guideline of the WHO.',
    ru: 'Среднее за год берётся по последним 365 завершённым суткам. Дни превышения — те из них, в которые среднее PM2.5 выше 15 мкг/м³, суточной нормы ВОЗ.',
    hy: 'Տարեկան միջինը վերջին 365 ավարտված օրերինն է։ Գերազանցման օրերն այն օրերն են, երբ PM2.5-ի միջինը բարձր է 15 մկգ/մ³-ից՝ ԱՀԿ-ի օրական ուղենշային արժեքից։',
  },
  W3: {
    en: 'How many times the guideline of the WHO for PM2.5: 15 µg/m³ for a day, 5 µg/m³ for a year. It is shown where the mean is more than 15 % above it.',
    ru: 'Во сколько раз превышена норма ВОЗ для PM2.5: 15 мкг/м³ за сутки, 5 мкг/м³ за год. Показывается, если среднее выше нормы более чем на 15 %.',
    hy: 'Քանի անգամ է գերազանցվել PM2.5-ի համար ԱՀԿ-ի ուղենշային արժեքը՝ օրական 15 մկգ/մ³, տարեկան 5 մկգ/մ³։ Ցուցադրվում է, եթե միջինը բարձր է դրանից ավելի քան 15 %-ով։',
  },
  W4: {
    en: 'Cigarettes stand for 30 days of breathing this air: the mean PM2.5 of the last 30 completed days × 30 / 22, since a day at 22 µg/m³ is likened to one cigarette.',
    ru: 'Сигареты — это 30 дней дыхания этим воздухом: среднее PM2.5 за последние 30 завершённых суток × 30 / 22, поскольку сутки при 22 мкг/м³ приравниваются к одной сигарете.',
    hy: 'Սիգարետները ցույց են տալիս այս օդը 30 օր շնչելու ազդեցությունը՝ վերջին 30 ավարտված օրերի PM2.5-ի միջինը × 30 / 22, քանի որ մեկ օրը 22 մկգ/մ³-ի դեպքում հավասարեցվում է մեկ սիգարետի։',
  },
  EU: {
    en: 'Directive (EU) 2024/2881 sets limits that apply from 2030. On the pages they are compared with the last 365 completed days, on the sheet to print with calendar years: with their mean, and with each day or hour. For ozone 120 µg/m³ is a target value for the highest mean of eight hours of a day, and the days above it are averaged over three years; here each year stands alone. NO₂ is converted: 1 ppb = 1.9125 µg/m³.',
    ru: 'Директива (ЕС) 2024/2881 устанавливает предельные значения, которые вступят в силу с 2030 года. На страницах с ними сравниваются последние 365 завершённых суток, а на листе для печати — календарные годы: их среднее и отдельно каждые сутки или каждый час. Для озона 120 мкг/м³ — целевое значение для наибольшего за сутки среднего за восемь часов; число дней с превышением директива усредняет за три года, здесь же каждый год берётся отдельно. NO₂ пересчитан: 1 ppb = 1,9125 мкг/м³.',
    hy: '(ԵՄ) 2024/2881 հրահանգը սահմանում է արժեքներ, որոնք գործելու են 2030 թվականից։ Էջերում դրանց հետ համեմատվում են վերջին 365 ավարտված օրերը, իսկ տպելու էջում՝ օրացուցային տարիները՝ և՛ դրանց միջինը, և՛ յուրաքանչյուր օրը կամ ժամը։ Օզոնի համար 120 մկգ/մ³-ը օրվա ութ ժամի ամենաբարձր միջինի նպատակային արժեքն է. հրահանգը գերազանցման օրերը միջինացնում է երեք տարով, իսկ այստեղ ամեն տարին առանձին է։ NO₂-ը վերահաշվարկված է՝ 1 ppb = 1,9125 մկգ/մ³։',
  },
  limits: {
    en: 'A limit is called kept only where at least 85 % of the days or hours of the year were measured (Annex V, Point B of the Directive), a day in at least 18 hours (Point C). It is called exceeded with fewer too, once there are more exceedances than a year may have (Point D). A mean of fewer days is not the mean of a year. The Directive judges single sampling points, measured by reference methods: a mean of a city, or a low-cost sensor, only indicates.',
    ru: 'Предел считается соблюдённым, только если измерено не менее 85 % суток или часов года (приложение V, пункт B директивы), а в сутках — не менее 18 часов (пункт C). Превышенным он считается и при меньшем числе данных, если превышений уже больше, чем допускается за год (пункт D). Среднее за меньшее число дней — не среднее за год. Директива оценивает отдельные точки измерений и эталонные методы: среднее по городу и недорогой датчик лишь дают представление.',
    hy: 'Սահմանը համարվում է պահպանված միայն այն դեպքում, երբ չափվել է տարվա օրերի կամ ժամերի առնվազն 85 %-ը (հրահանգի V հավելվածի B կետ), ընդ որում օրվա մեջ՝ առնվազն 18 ժամ (C կետ)։ Գերազանցված այն համարվում է նաև ավելի քիչ տվյալներով, եթե գերազանցումներն արդեն ավելի շատ են, քան թույլատրելի է տարվա ընթացքում (D կետ)։ Ավելի քիչ օրերի միջինը տարեկան միջին չէ։ Հրահանգը գնահատում է առանձին չափման կետերը՝ էտալոնային մեթոդներով. քաղաքի միջինը կամ էժան տվիչը միայն մոտավոր պատկեր են տալիս։',
  },
} as const satisfies Record<string, Record<Locale, string>>;

export type RuleName = keyof typeof RULES;
