# user/airseries.py in the folder of WeeWX: sends each record of the archive.
import json
import queue
import weewx
from weewx.restx import RESTThread, StdRESTful, get_site_dict


class AirSeries(StdRESTful):
    def __init__(self, engine, config_dict):
        super().__init__(engine, config_dict)
        site = get_site_dict(config_dict, 'AirSeries', 'url', 'token')
        if site is None:
            return
        self.archive_queue = queue.Queue()
        self.archive_thread = Upload(self.archive_queue, **site)
        self.archive_thread.start()
        self.bind(weewx.NEW_ARCHIVE_RECORD, lambda event: self.archive_queue.put(event.record))


class Upload(RESTThread):
    def __init__(self, records, url, token, **options):
        super().__init__(records, protocol_name='AirSeries', **options)
        self.url, self.token = url, token

    def format_url(self, record):
        return self.url

    def get_request(self, url):
        request = super().get_request(url)
        request.add_header('Authorization', 'Bearer ' + self.token)
        return request

    def get_post_body(self, record):
        return json.dumps(record), 'application/json'
